import { Checkbox, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { NewTokenInput, NewTokenView } from "../../../../interface/tokens.ts";
import { request } from "../../api.ts";
import { FormButtons } from "../../parts/form_buttons.tsx";
import { showIssues } from "../../parts/form_issues.ts";
import { MadeOnce } from "../../parts/made_once.tsx";
import { expiryOf } from "../../parts/expiry.ts";
import { ExpiryFields } from "../../parts/expiry_fields.tsx";
import { TokenLimits } from "./token_limits.tsx";
import { ShownToken } from "./shown_token.tsx";

const SCOPES = [
  {
    value: "send",
    label: "Send",
    about: "Sends messages with templates and integrations of the account",
  },
  {
    value: "send:suppressed",
    label: "Send to suppressed addresses",
    about: "Sends mail that a law requires to addresses on the suppression list",
  },
  {
    value: "render",
    label: "Render",
    about: "Renders a template and returns the result, without sending",
  },
  { value: "read", label: "Read", about: "Reads the state of sent messages, by their ids" },
  {
    value: "list",
    label: "List",
    about: "Lists and searches sends and messages. It shows all recipients' addresses",
  },
  {
    value: "read:content",
    label: "Read content",
    about: "Reads the content of messages",
  },
  {
    value: "manage:messages",
    label: "Manage messages",
    about: "Cancels and retries messages",
  },
  {
    value: "manage:suppressions",
    label: "Manage suppressions",
    about: "Adds and removes addresses that get no mail",
  },
  {
    value: "manage:templates",
    label: "Manage templates",
    about: "Changes and publishes templates, for “posthaste push”",
  },
  {
    value: "manage:integrations",
    label: "Manage integrations",
    about: "Changes SMTP servers, their passwords and signing keys",
  },
  {
    value: "manage:webhooks",
    label: "Manage webhooks",
    about: "Adds endpoints, which get all events of the account, and replays deliveries",
  },
  {
    value: "manage:tokens",
    label: "Manage tokens",
    about: "Generates tokens with a part of this token’s other permissions, and revokes tokens",
  },
  {
    value: "manage:account",
    label: "Manage account",
    about: "Reads the audit log and shortens the retention of content",
  },
];

/** Asks for a new token's properties, creates it, and shows it only once. */
export function NewToken({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  return (
    <MadeOnce<NewTokenView>
      isOpen={isOpen}
      close={close}
      title="Generate new token"
      madeTitle="Copy your token now"
      form={(cancel, onMade) => <NewTokenForm cancel={cancel} onMade={onMade} />}
      shown={(made, done) => <ShownToken made={made} done={done} />}
    />
  );
}

function NewTokenForm({ cancel, onMade }: {
  cancel: () => void;
  onMade: (made: NewTokenView) => void;
}) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      // What the examples of the quick start need, and rendering.
      ...{ name: "", scopes: ["send", "render", "read"], expiry: "90", expiresAt: "" },
      limits: {
        addresses: [] as string[],
        templates: [] as string[],
        integrations: [] as string[],
      },
    },
    validate: {
      name: (name) => name.trim() === "" ? "Enter what the token is for" : null,
      scopes: (scopes) => scopes.length === 0 ? "Choose at least one" : null,
      expiresAt: (date, { expiry }) => expiry === "date" && date === "" ? "Choose a date" : null,
    },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (body: NewTokenInput) => request<NewTokenView>("/tokens", { method: "POST", body }),
    onSuccess: (made) => {
      onMade(made);
      void client.invalidateQueries({ queryKey: ["tokens"] });
    },
    onError: (error) => showIssues(form, error),
  });
  const submit = form.onSubmit(({ name, scopes, expiry, expiresAt, limits }) =>
    mutate({
      name,
      limits: {
        addresses: limits.addresses,
        templates: limits.templates.map(Number),
        integrations: limits.integrations.map(Number),
      },
      scopes: scopes as NewTokenInput["scopes"],
      expiresAt: expiryOf(expiry, expiresAt),
    })
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <TextInput
          label="Name"
          description="The program that uses it, such as “web shop” or “night job”"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Checkbox.Group label="Permissions" {...form.getInputProps("scopes")}>
          <Stack gap="xs" mt={6}>
            {SCOPES.map(({ value, label, about }) => (
              <Checkbox key={value} value={value} label={label} description={about} />
            ))}
          </Stack>
        </Checkbox.Group>
        <ExpiryFields
          label="Expires"
          expiry={form.values.expiry}
          propsOf={(field) => form.getInputProps(field)}
        />
        <TokenLimits propsOf={(path) => form.getInputProps(path)} />
        <FormButtons cancel={cancel} submit="Generate token" isPending={isPending} />
      </Stack>
    </form>
  );
}
