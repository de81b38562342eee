import { Alert, Anchor, Button, CopyButton, Group, Stack, Text, TextInput } from "@mantine/core";
import { TbCheck, TbCopy, TbEye } from "react-icons/tb";
import { Link } from "wouter";
import type { NewTokenView } from "../../../../interface/tokens.ts";
import { CopyCode } from "../../parts/copy_text.tsx";

/** A new token, and a request to try it with. */
export function ShownToken({ made, done }: { made: NewTokenView; done: () => void }) {
  const { text, curl, token } = made;
  return (
    <Stack gap="lg">
      <Alert color="yellow" icon={<TbEye size={20} />}>
        The token is shown only once. Posthaste keeps no copy. Store it like a password.
      </Alert>
      <Group align="flex-end" gap="xs">
        <TextInput
          label={token.name}
          value={text}
          readOnly
          flex={1}
          miw={220}
          onFocus={(event) => event.currentTarget.select()}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        />
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              data-autofocus
              color={copied ? "teal" : "cyan"}
              leftSection={copied ? <TbCheck size={16} /> : <TbCopy size={16} />}
              onClick={copy}
            >
              {copied ? "Copied" : "Copy token"}
            </Button>
          )}
        </CopyButton>
      </Group>
      <div>
        <Text size="sm" fw={550} mb={6}>Try it</Text>
        {curl === null
          ? <NothingToTry scopes={token.scopes} />
          : <CopyCode code={curl} label="Copy the command" />}
      </div>
      <Group justify="flex-end">
        <Button variant="default" onClick={done}>Done</Button>
      </Group>
    </Stack>
  );
}

function NothingToTry({ scopes }: { scopes: readonly string[] }) {
  if (scopes.includes("send") || scopes.includes("render")) {
    return (
      <Text size="sm" c="dimmed">
        Publish an{" "}
        <Anchor component={Link} href="~/email-templates">email template</Anchor>, and add an{" "}
        <Anchor component={Link} href="~/integrations">integration</Anchor>. Each template then
        offers a command to send it.
      </Text>
    );
  }
  return (
    <Text size="sm" c="dimmed">
      The response to a send lists its messages. Read one at <code>/v1/messages/…</code>{" "}
      with this token.
    </Text>
  );
}
