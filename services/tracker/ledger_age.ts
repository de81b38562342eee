import type { Bus } from "@posthaste/messaging";
import type { RestoredLedger } from "@posthaste/storage";

/** What knows how old the ledger is. */
export interface LedgerAgeDeps
  extends Pick<RestoredLedger, "isOlderThan">, Pick<Bus, "newestFact"> {}

/**
 * Makes sure that the ledger is not older than what was done: a restored one takes for unsent what was sent
 * since its backup, and to dispatch that again would send it twice. A broker that was lost with the ledger
 * cannot tell.
 *
 * @throws {Error} If it does not know the mail that was sent last.
 */
export async function assertCurrent({ newestFact, isOlderThan }: LedgerAgeDeps): Promise<void> {
  const newest = await newestFact("fact.message.sent");
  if (newest === undefined) return;
  const { accountId, messageId, at } = newest.data;
  if (!await isOlderThan({ accountId, messageId, at: new Date(at) })) return;
  throw new Error(
    `Cannot act on the ledger: it does not know that ${messageId} was sent at ${at}. If it was restored ` +
      `from a backup, stop every service and run "posthaste restored hold"`,
  );
}
