import { Group, Loader, Text } from "@mantine/core";

/** How long the newest preview took, or that a newer one is on its way. */
export function Took({ tookMs, isWaiting }: { tookMs: number; isWaiting: boolean }) {
  return (
    <Group gap={6} wrap="nowrap" miw={52} h={20} justify="flex-end">
      {isWaiting
        ? <Loader size={12} role="status" aria-label="Rendering the preview" />
        : (
          <Text size="xs" c="dimmed" title="How long this preview took">
            {Math.round(tookMs)} ms
          </Text>
        )}
    </Group>
  );
}
