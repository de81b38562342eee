import {
  Button,
  FileButton,
  PasswordInput,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { TbUpload } from "react-icons/tb";
import { CONSENT_RETURN } from "../../consent_request.ts";
import { CopyCode } from "../../parts/copy_text.tsx";
import type { IntegrationFormState } from "./form_values.ts";

interface OauthFieldsProps {
  form: IntegrationFormState;
  /** Whether the secret is stored. */
  hasSecret: boolean;
}

const PLAIN_TEXT = { autoComplete: "off", autoCapitalize: "off", spellCheck: false } as const;

/** The fields of a login by access tokens. */
export function OauthFields({ form, hasSecret }: OauthFieldsProps) {
  const { login, provider } = form.values;
  if (login === "googleServiceAccount") return <KeyFileField form={form} hasSecret={hasSecret} />;
  const isByConsent = login === "oauthRefreshToken";
  return (
    <>
      {isByConsent && (
        <Select
          label="Provider of the mailbox"
          allowDeselect={false}
          data={[
            { value: "microsoft", label: "Microsoft" },
            { value: "google", label: "Google" },
          ]}
          {...form.getInputProps("provider")}
        />
      )}
      {(!isByConsent || provider === "microsoft") && (
        <TextInput
          label="Tenant"
          description="The directory (tenant) id, or one of its domains"
          required
          {...PLAIN_TEXT}
          {...form.getInputProps("tenant")}
        />
      )}
      <TextInput
        label="Client id"
        description="Microsoft calls it application (client) id"
        required
        {...PLAIN_TEXT}
        {...form.getInputProps("clientId")}
      />
      {isByConsent && <RedirectUri />}
      {isByConsent && (
        <Switch
          label="The client has a secret"
          checked={form.values.hasClientSecret}
          onChange={(event) => form.setFieldValue("hasClientSecret", event.currentTarget.checked)}
        />
      )}
      {(!isByConsent || form.values.hasClientSecret) && (
        <PasswordInput
          label="Client secret"
          required={!hasSecret}
          autoComplete="new-password"
          placeholder={hasSecret ? "Stored; leave empty to keep it" : ""}
          description={hasSecret
            ? "Required again when host, port, encryption or mailbox change. It cannot be read here"
            : "The value, not its id. Stored encrypted. It cannot be read here later"}
          visibilityToggleButtonProps={{ "aria-label": "Show or hide the client secret" }}
          {...form.getInputProps("clientSecret")}
        />
      )}
    </>
  );
}

function RedirectUri() {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>Redirect URI</Text>
      <CopyCode code={`${location.origin}${CONSENT_RETURN}`} label="Copy the redirect URI" />
      <Text size="xs" c="dimmed" mt={4}>
        Register it for the client at the provider. With Microsoft, choose the platform Web.
      </Text>
    </div>
  );
}

function KeyFileField({ form, hasSecret }: OauthFieldsProps) {
  const read = async (file: File | null) => {
    if (file !== null) form.setFieldValue("keyFile", await file.text());
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Textarea
        w="100%"
        label="Key of the service account"
        required={!hasSecret}
        placeholder={hasSecret
          ? "Stored; leave empty to keep it"
          : '{ "type": "service_account", … }'}
        description={hasSecret
          ? "Required again when host, port, encryption or mailbox change. It cannot be read here"
          : "The JSON file of the key. Stored encrypted. It cannot be read here later"}
        autosize
        minRows={3}
        maxRows={8}
        {...PLAIN_TEXT}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        {...form.getInputProps("keyFile")}
      />
      <FileButton accept="application/json,.json" onChange={(file) => void read(file)}>
        {(props) => (
          <Button {...props} variant="default" size="xs" leftSection={<TbUpload size={16} />}>
            Choose the file
          </Button>
        )}
      </FileButton>
    </Stack>
  );
}
