import { z } from "zod";

/** Every state of a message, in the order in which they are passed. */
export const MESSAGE_STATES = [
  // Of a send that is not started; never stored.
  "scheduled",
  "queued",
  "rendered",
  "printed",
  "deferred",
  "sending",
  "unknown",
  "sent",
  "failed",
  "canceled",
] as const;

/** Schema of {@linkcode MessageState}. */
export const messageStateSchema = z.enum(MESSAGE_STATES);

/** Where a message stands. */
export type MessageState = z.infer<typeof messageStateSchema>;

export const TERMINAL_STATES = ["sent", "failed", "canceled"] as const satisfies MessageState[];

const TERMINAL: ReadonlySet<MessageState> = new Set(TERMINAL_STATES);

/** Returns whether nothing more happens to a message in this state, unless a person asks for it. */
export function isTerminal(state: MessageState): boolean {
  return TERMINAL.has(state);
}
