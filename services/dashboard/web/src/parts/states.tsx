import { Alert, Button, Center, Loader, Stack, Text, ThemeIcon } from "@mantine/core";
import type { IconType } from "react-icons";
import { TbAlertTriangle } from "react-icons/tb";
import type { ReactNode } from "react";
import { HttpError } from "../api.ts";
import { SectionTitle } from "./section_title.tsx";

/** Shown while data is loading. */
export function Waiting({ label = "Loading" }: { label?: string }) {
  return (
    <Center mih={160} role="status" aria-label={label}>
      <Loader size="sm" />
    </Center>
  );
}

/** Shows that loading failed; `retry` tries again, unless the object does not exist. */
export function Failed({ error, retry }: { error: Error; retry?: () => void }) {
  const isMissing = error instanceof HttpError && error.code === "not_found";
  return (
    <Alert
      color="red"
      icon={<TbAlertTriangle size={20} />}
      title={isMissing ? "Not found" : "Loading failed"}
      my="md"
    >
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>{error.message}</Text>
      {retry && !isMissing && (
        <Button mt="sm" size="xs" variant="default" onClick={retry}>Try again</Button>
      )}
    </Alert>
  );
}

/** Shows that a query waits, or why it failed; nothing once there is data. */
export function Pending({ query: { data, error, refetch } }: {
  query: { data: unknown; error: Error | null; refetch: () => Promise<unknown> };
}) {
  if (data !== undefined) return null;
  return error === null ? <Waiting /> : <Failed error={error} retry={() => void refetch()} />;
}

/** Shown if there is no data yet: explains the next step. */
export function Empty({ icon: Sign, title, children, action }: {
  icon: IconType;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Center mih={280}>
      <Stack align="center" gap="sm" maw={460} ta="center">
        <ThemeIcon size={52} radius="xl" variant="light">
          <Sign size={26} />
        </ThemeIcon>
        <SectionTitle>{title}</SectionTitle>
        <Text c="dimmed" size="sm">{children}</Text>
        {action}
      </Stack>
    </Center>
  );
}
