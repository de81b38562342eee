import { Anchor, Group, Progress, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { MessageRow } from "../../../../interface/messages.ts";
import { LIVE_STATES, STATE_LOOK, StateBadge } from "./state_badge.tsx";

type State = MessageRow["state"];

/** How many of some messages are in each state, as a bar and as numbers. */
export function StateShares({ states, total, hrefOf }: {
  states: Partial<Record<State, number>>;
  total: number;
  /** Returns a link to the messages in a state. @default {no links} */
  hrefOf?: (state: State) => string;
}) {
  const present = LIVE_STATES.filter((state) => (states[state] ?? 0) > 0);
  return (
    <Stack gap="sm">
      <Progress.Root size={18} role="group" aria-label="Recipients by state">
        {present.map((state) => (
          <Progress.Section
            key={state}
            value={100 * (states[state] ?? 0) / total}
            color={`${STATE_LOOK[state].color}.6`}
            aria-label={`${STATE_LOOK[state].label}: ${states[state]}`}
          />
        ))}
      </Progress.Root>
      <Group gap="md">
        {present.map((state) => {
          const count = states[state]?.toLocaleString();
          return (
            <Group key={state} gap={6}>
              <StateBadge state={state} />
              {hrefOf === undefined ? <Text size="sm" fw={600}>{count}</Text> : (
                <Anchor
                  component={Link}
                  href={hrefOf(state)}
                  size="sm"
                  fw={600}
                  aria-label={`${count}, ${STATE_LOOK[state].label}: show them`}
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
