import type { Send } from "./documents.ts";

/** The fields of a send that determine its start. */
export type Startable = Pick<Send, "acceptedAt" | "notBefore">;

/**
 * Returns when a send starts: at its acceptance, or at the later time that it is scheduled for. Retries,
 * expiry and retention count from then, and it is the `Date` of its mails.
 */
export function startOf({ acceptedAt, notBefore }: Startable): Date {
  return notBefore !== undefined && notBefore > acceptedAt ? notBefore : acceptedAt;
}

/** Returns whether a send waits for the time that it is scheduled for, or for the end of its batch. */
export function isScheduled(
  { notBefore, next, waitsFor, settledAt, held }: Pick<
    Send,
    "notBefore" | "next" | "waitsFor" | "settledAt" | "held"
  >,
): boolean {
  return (held === true || notBefore !== undefined) && next === 0 && waitsFor === undefined &&
    settledAt === null;
}
