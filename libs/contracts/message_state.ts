import { z } from "zod";

/** Every state of a message, in the order in which they are passed. */
export const MESSAGE_STATES = [
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

const TERMINAL: ReadonlySet<MessageState> = new Set(["sent", "failed", "canceled"]);

/** States before the first attempt to send, in their order: facts move a message along these only. */
export const PREPARING_STATES = ["queued", "rendered", "printed"] as const satisfies MessageState[];

/** States in which a worker may claim a message to send it. */
export const CLAIMABLE_STATES = [
  "queued",
  "rendered",
  "printed",
  "deferred",
] as const satisfies MessageState[];

/** Tells whether nothing more happens to a message in this state, unless a person asks for it. */
export function isTerminal(state: MessageState): boolean {
  return TERMINAL.has(state);
}

/**
 * Lists the states from which a fact of the preparing stages may move a message to `next`: the
 * earlier preparing ones. Facts come late and out of order, and states only move forward.
 */
export function statesBefore(next: (typeof PREPARING_STATES)[number]): MessageState[] {
  return PREPARING_STATES.slice(0, PREPARING_STATES.indexOf(next));
}
