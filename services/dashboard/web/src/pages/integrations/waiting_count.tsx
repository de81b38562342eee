import { Text } from "@mantine/core";

/** The most messages that are counted. */
const MAX_WAITING = 10_000;

/** Formats a number of waiting messages: `1,204 messages`. */
export function countWaiting(waiting: number): string {
  const more = waiting >= MAX_WAITING ? " or more" : "";
  return `${waiting.toLocaleString()}${more} ${waiting === 1 ? "message" : "messages"}`;
}

/** Formats a number of waiting messages as a clause: `1,204 messages wait`. */
export function sayWaiting(waiting: number): string {
  if (waiting === 0) return "no messages waiting";
  return `${countWaiting(waiting)} ${waiting === 1 ? "waits" : "wait"}`;
}

/** Shows how many messages wait for an integration; empty if none do. */
export function WaitingCount({ waiting }: { waiting: number }) {
  if (waiting === 0) return null;
  return <Text span size="sm" fw={600}>{sayWaiting(waiting)}</Text>;
}
