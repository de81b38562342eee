import { Alert, PasswordInput, Select, Switch, TextInput } from "@mantine/core";
import { TbAlertTriangle } from "react-icons/tb";
import type { OauthLoginView } from "../../../../interface/integrations.ts";
import type { IntegrationFormState } from "./form_values.ts";
import { OauthFields } from "./oauth_fields.tsx";
import { hasSecretFor, type LoginChoice } from "./oauth_values.ts";

/** Properties of {@linkcode LoginFields}. */
export interface LoginFieldsProps {
  form: IntegrationFormState;
  /** What is stored. */
  stored: { oauth: OauthLoginView | null; hasPassword: boolean };
}

const CHOICES: { value: LoginChoice; label: string }[] = [
  { value: "password", label: "Password or key" },
  { value: "oauthRefreshToken", label: "OAuth 2: a person gives consent" },
  { value: "oauthClientCredentials", label: "OAuth 2: Microsoft client credentials" },
  { value: "googleServiceAccount", label: "OAuth 2: Google service account" },
];

/** How the mailer logs in to the server. */
export function LoginFields({ form, stored }: LoginFieldsProps) {
  const { hasLogin, tls, login } = form.values;
  return (
    <>
      <Switch
        label="The server requires authentication"
        checked={hasLogin}
        onChange={(event) => form.setFieldValue("hasLogin", event.currentTarget.checked)}
      />
      {hasLogin && (
        <>
          <Select
            label="Login"
            description="Microsoft 365 and Google accept access tokens (OAuth 2)"
            allowDeselect={false}
            data={CHOICES}
            {...form.getInputProps("login")}
          />
          <TextInput
            label={login === "password" ? "User" : "Mailbox"}
            description={login === "password" ? undefined : "The whole address"}
            required
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            {...form.getInputProps("user")}
          />
          {login === "password"
            ? <PasswordFields form={form} stored={stored} />
            : <OauthFields form={form} hasSecret={hasSecretFor(form.values, stored)} />}
          {tls === "none" && (
            <Alert color="orange" icon={<TbAlertTriangle size={20} />}>
              A login is not sent without encryption, except to this machine.
            </Alert>
          )}
        </>
      )}
    </>
  );
}

function PasswordFields({ form, stored: { hasPassword } }: LoginFieldsProps) {
  return (
    <>
      <PasswordInput
        label="Password or key"
        required={!hasPassword}
        autoComplete="new-password"
        placeholder={hasPassword ? "Stored; leave empty to keep it" : ""}
        description={hasPassword
          ? "Required again when host, port, encryption or user change. It cannot be read here"
          : "Stored encrypted. It cannot be read here later"}
        visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
        {...form.getInputProps("password")}
      />
      <Select
        label="Method"
        description="Automatic is almost always right"
        allowDeselect={false}
        data={[
          { value: "", label: "Automatic" },
          { value: "PLAIN", label: "PLAIN" },
          { value: "LOGIN", label: "LOGIN" },
        ]}
        {...form.getInputProps("authMethod")}
      />
    </>
  );
}
