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
    `Cannot act on the ledger: it does not know that ${messageId} was sent at ${at.toISOString()}. If it was restored ` +
      `from a backup, stop every service and run "posthaste restored hold"`,
  );
}
