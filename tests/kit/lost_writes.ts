import type { Store } from "@posthaste/storage";

type LedgerOf = Store["registers"]["ledgerOf"];

/**
 * Returns a ledger that loses its first write of an outcome of some messages: it answers as if its connection was closed.
 *
 * @param isLost Whether the write is lost, by the id of the message.
 */
export function losingWrites(ledgerOf: LedgerOf, isLost: (messageId: string) => boolean): LedgerOf {
  const cause = Object.assign(new Error("connection closed"), { name: "MongoNetworkError" });
  const lost = new Set<string>();
  return (message, options) => {
    const { perform } = ledgerOf(message, options);
    return {
      perform(request) {
        const { messageId } = message;
        const isFirst = request.op === "writeOutcome" && !lost.has(messageId);
        if (!isFirst || !isLost(messageId)) return perform(request);
        lost.add(messageId);
        return Promise.resolve({ type: "unsure", cause });
      },
    };
  };
}
