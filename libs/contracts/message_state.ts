import { z } from "zod";

/** Every state of a message, in the usual order. */
export const MESSAGE_STATES = [
  // Its send is not started; never stored.
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
  // Its address is on the suppression list of the account.
  "suppressed",
] as const;

/** Schema of {@linkcode MessageState}. */
export const messageStateSchema = z.enum(MESSAGE_STATES);

/** The state of a message. */
export type MessageState = z.infer<typeof messageStateSchema>;

export const TERMINAL_STATES = [
  "sent",
  "failed",
  "canceled",
  "suppressed",
] as const satisfies MessageState[];

const TERMINAL: ReadonlySet<MessageState> = new Set(TERMINAL_STATES);

/** Returns whether a message in this state changes only on a person's request. */
export function isTerminal(state: MessageState): boolean {
  return TERMINAL.has(state);
}
