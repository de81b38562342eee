import { Anchor, Group, Progress, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { MessageBadge } from "./message_badge.tsx";
import { LIVE_STATES, lookOfMessage, type MessageState } from "./message_look.ts";

/** How many of some messages are in each state, as a bar and as numbers. */
export function StateShares({ states, total, hrefOf }: {
  states: Partial<Record<MessageState, number>>;
  total: number;
  /** Returns a link to the messages in a state. @default {no links} */
  hrefOf?: (state: MessageState) => string;
}) {
  const present = LIVE_STATES.filter((state) => (states[state] ?? 0) > 0);
  return (
    <Stack gap="sm">
      <Progress.Root size={18} role="group" aria-label="Recipients by state">
        {present.map((state) => (
          <Progress.Section
            key={state}
            value={100 * (states[state] ?? 0) / total}
            color={`${lookOfMessage(state).color}.6`}
            aria-label={`${lookOfMessage(state).label}: ${states[state]}`}
          />
        ))}
      </Progress.Root>
      <Group gap="md">
        {present.map((state) => {
          const count = states[state]?.toLocaleString();
          return (
            <Group key={state} gap={6}>
              <MessageBadge state={state} />
              {hrefOf === undefined ? <Text size="sm" fw={600}>{count}</Text> : (
                <Anchor
                  component={Link}
                  href={hrefOf(state)}
                  size="sm"
                  fw={600}
                  aria-label={`${count}, ${lookOfMessage(state).label}: show them`}
                >
                  {count}
                </Anchor>
              )}
            </Group>
          );
        })}
      </Group>
    </Stack>
  );
}
