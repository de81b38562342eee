import { z } from "zod";

const WAITING = [
  // Its send is not started; never stored.
  "scheduled",
  "queued",
] as const;

const ATTEMPTED = [
  "deferred",
  "sending",
  "unknown",
  "sent",
  "failed",
  "canceled",
  // Its address is on the suppression list of the account.
  "suppressed",
] as const;

/** Every state of a message, in the usual order. */
export const MESSAGE_STATES = [...WAITING, ...ATTEMPTED] as const;

/** Every kind of line in a message's timeline: the states that it enters, and the stages that prepare it. */
export const TIMELINE_TYPES = [...WAITING, "rendered", "printed", ...ATTEMPTED] as const;

/** Schema of {@linkcode MessageState}. */
export const messageStateSchema = z.enum(MESSAGE_STATES);

/** Schema of {@linkcode TimelineType}. */
export const timelineTypeSchema = z.enum(TIMELINE_TYPES);

/**
 * Schema of a state in what the interface answers. It publishes two names that no message has as its state: the
 * interface never takes back what it published.
 */
export const publishedStateSchema = timelineTypeSchema;

/** The state of a message. */
export type MessageState = z.infer<typeof messageStateSchema>;

/** The kind of a line in a timeline. */
export type TimelineType = z.infer<typeof timelineTypeSchema>;

export const TERMINAL_STATES = [
  "sent",
  "failed",
  "canceled",
  "suppressed",
] as const satisfies MessageState[];

const STATES: ReadonlySet<string> = new Set(MESSAGE_STATES);

/** Returns whether a name is that of a state. */
export function isMessageState(name: string): name is MessageState {
  return STATES.has(name);
}

const TERMINAL: ReadonlySet<MessageState> = new Set(TERMINAL_STATES);

/** Returns whether a message in this state changes only on a person's request. */
export function isTerminal(state: MessageState): boolean {
  return TERMINAL.has(state);
}
