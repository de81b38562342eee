import type { Bus } from "@posthaste/messaging";
import type { RestoredLedger } from "@posthaste/storage";

/** What knows how old the ledger is. */
export interface LedgerAgeDeps extends Pick<RestoredLedger, "isOlderThan">, Pick<Bus, "lastSent"> {}

/**
 * Makes sure that the ledger is not older than what was done: a restored one takes for unsent what was sent
 * since its backup, and to dispatch that again would send it twice. A broker that was lost with the ledger
 * cannot tell.
 *
 * @throws {Error} If it does not know the mail that was sent last.
 */
export async function assertCurrent({ lastSent, isOlderThan }: LedgerAgeDeps): Promise<void> {
  const sent = await lastSent();
  if (sent === undefined || !await isOlderThan(sent)) return;
  const { messageId, at } = sent;
  throw new Error(
    `Cannot act on the ledger: it lacks that ${messageId} was sent at ${at.toISOString()}. If it was restored ` +
      `from a backup, stop every service and run "posthaste restored hold"`,
  );
}

/** A ledger is restored while nothing runs, which takes longer. */
const REMEMBERED_MS = 1000;

/** Returns {@linkcode assertCurrent} for those who ask often: who is told that it holds is told so for a second. */
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
      askedAt = -Infinity;
      throw error;
    });
    return answer;
  };
}
