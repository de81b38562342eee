import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { TbEye } from "react-icons/tb";
import { CopyCode } from "../../parts/copy_text.tsx";

/** A new secret. */
export function ShownSecret({ secret, done }: { secret: string; done: () => void }) {
  return (
    <Stack gap="lg">
      <Alert color="yellow" icon={<TbEye size={20} />}>
        The secret is shown only once. With it, your program verifies that requests come from
        Posthaste.
      </Alert>
      <CopyCode code={secret} label="Copy the secret" />
      <Text size="sm" c="dimmed">
        Requests are signed by Standard Webhooks 1.0. Its libraries take the secret unchanged.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={done}>Done</Button>
      </Group>
    </Stack>
  );
}
