import { Text } from "@mantine/core";

/** As many are counted at most. */
const MAX_WAITING = 10_000;

/** Returns how many messages there are that wait: `1,204 messages`. */
export function countWaiting(waiting: number): string {
  const more = waiting >= MAX_WAITING ? " or more" : "";
  return `${waiting.toLocaleString()}${more} ${waiting === 1 ? "message" : "messages"}`;
}

/** Returns how many messages wait: `1,204 messages wait`. */
export function sayWaiting(waiting: number): string {
  if (waiting === 0) return "no messages waiting";
  return `${countWaiting(waiting)} ${waiting === 1 ? "waits" : "wait"}`;
}

/** How many messages wait for an integration; nothing when none do. */
export function WaitingCount({ waiting }: { waiting: number }) {
  if (waiting === 0) return null;
  return <Text span size="sm" fw={600}>{sayWaiting(waiting)}</Text>;
}
