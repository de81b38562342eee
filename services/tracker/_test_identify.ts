import { parseMessageId } from "@posthaste/contracts";
import type { MessageIdentity, StorePart } from "@posthaste/storage";

/** Returns who messages of the account `acc_1` are, as if the ledger had their sends. */
export function identifyAll(acceptedAt: Date): StorePart<"sends.identify">["sends"]["identify"] {
  return (ids) =>
    Promise.resolve(
      new Map(ids.map((messageId): [string, MessageIdentity] => {
        const { sendId = "", index = 0 } = parseMessageId(messageId) ?? {};
        return [messageId, {
          ...{ messageId, sendId, accountId: "acc_1", index, email: `r${index}@example.com` },
          ...{ acceptedAt, integration: "acc_1/4", from: "shop@example.com" },
        }];
      })),
    );
}
