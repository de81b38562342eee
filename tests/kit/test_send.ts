import { newSendId, type Send } from "@posthaste/contracts";

/**
 * Makes a send of `acc_1` to `messageCount` recipients, which is not settled.
 *
 * ```ts
 * await store.sends.accept(testSend({ accountId, acceptedAt: new Date(), messageCount: 3 }));
 * ```
 *
 * Its id fits the given account and time of acceptance, its message count the given request.
 */
export function testSend(changes: Partial<Send> = {}): Send {
  const { accountId = "acc_1", messageCount = changes.request?.to.length ?? 1 } = changes;
  const acceptedAt = changes.acceptedAt ?? new Date("2026-01-01T00:00:00Z");
  return {
    _id: newSendId(accountId, acceptedAt),
    accountId,
    acceptedAt,
    priority: "transactional",
    template: { id: 1, version: 1 },
    pdfVersions: {},
    integrationId: 1,
    request: {
      from: { email: "shop@example.com" },
      to: Array.from({ length: messageCount }, (_, index) => ({ email: `r${index}@example.com` })),
    },
    messageCount,
    settledAt: null,
    reconcileAt: new Date(acceptedAt.getTime() + 60_000),
    ...changes,
  };
}
