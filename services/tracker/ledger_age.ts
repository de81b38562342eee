import type { Bus } from "@posthaste/messaging";
import type { StorePart } from "@posthaste/storage";

/** Checks the age of the ledger. */
export type LedgerAgeDeps =
  & Pick<Bus, "lastSent">
  & StorePart<"restored.isOlderThan">;

/** The ledger was restored, and its unfinished messages are not held. */
class RestoredLedgerError extends Error {
  override readonly name = "RestoredLedgerError";
}

/**
 * Checks that the ledger is not older than the work that was done. A restored ledger counts mail that was
 * sent since its backup as unsent, and a redispatch would send it twice. If the broker was lost with the
 * ledger, the check cannot detect this.
 *
 * @throws {Error} If it does not know the last sent mail.
 */
export async function assertCurrent(
  { lastSent, restored: { isOlderThan } }: LedgerAgeDeps,
): Promise<void> {
  const sent = await lastSent();
  if (sent === undefined || !await isOlderThan(sent)) return;
  const { messageId, at } = sent;
  throw new RestoredLedgerError(
    `Cannot act on the ledger: it lacks that ${messageId} was sent at ${at.toISOString()}. If it was restored ` +
      `from a backup, stop every service and run "posthaste restored hold"`,
  );
}

/** A restore happens while nothing runs, which takes longer. */
const REMEMBERED_MS = 1000;

/**
 * Returns {@linkcode assertCurrent} for frequent callers. A positive result is reused for a second. A restored ledger is
 * refused until this process ends: as soon as new mail is sent, the ledger knows the last mail again, but not those
 * that it lacks.
 */
export function openLedgerAge(
  deps: LedgerAgeDeps,
  { clock = performance }: { clock?: { now(): number } } = {},
): () => Promise<void> {
  let askedAt = -Infinity;
  let answer = Promise.resolve();
  return () => {
    if (clock.now() - askedAt < REMEMBERED_MS) return answer;
    askedAt = clock.now();
    answer = assertCurrent(deps).catch((error) => {
      askedAt = error instanceof RestoredLedgerError ? Infinity : -Infinity;
      throw error;
    });
    return answer;
  };
}
