import type { ServiceLedger } from "./records.ts";

/** Mails that have not ended. */
export interface OpenMails {
  sendId: string;
  /** The message; those without a document are one entry. */
  id?: string;
  state: string;
  count: number;
}

/** States without further automatic work: an unknown outcome waits for a person. */
export const FINAL_STATES = ["sent", "failed", "canceled", "unknown"] as const;

/** Returns whether a state is final. */
export function isFinal(state: string): boolean {
  return FINAL_STATES.some((final) => final === state);
}

/** Lists what has not ended, by the ledger. */
export function openMailsOf(
  { sends, messages }: Pick<ServiceLedger, "sends" | "messages">,
): OpenMails[] {
  const bySend = Map.groupBy(messages, ({ sendId }) => sendId);
  return sends.flatMap(({ id: sendId, messageCount }): OpenMails[] => {
    const known = bySend.get(sendId) ?? [];
    const unknown = messageCount - known.length;
    return [
      ...known.filter(({ state }) => !isFinal(state))
        .map(({ id, state }) => ({ sendId, id, state, count: 1 })),
      ...(unknown > 0 ? [{ sendId, state: "queued", count: unknown }] : []),
    ];
  });
}

/**
 * Lists the sends that are not settled although none of their messages is open.
 *
 * @param hold Whether an unknown outcome waits for a person, and its send with it.
 */
export function lateSends(
  service: Pick<ServiceLedger, "sends" | "messages">,
  { hold }: { hold: boolean },
): string[] {
  const open = new Set(openMailsOf(service).map(({ sendId }) => sendId));
  const held = service.messages.filter(({ state }) => hold && state === "unknown");
  for (const { sendId } of held) open.add(sendId);
  return service.sends.filter(({ id, settled }) => !settled && !open.has(id)).map(({ id }) => id);
}
