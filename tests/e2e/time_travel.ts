import type { Integration, Message, Send } from "@posthaste/contracts";
import { MongoClient } from "mongodb";
import type { AccountOfSystem } from "./system.ts";

const HOUR_MS = 3_600_000;

/** Makes the waits that are planned in a ledger end now. */
export interface TimeTravel extends AsyncDisposable {
  /** What is deferred is long due, for all messages of a send: the reconciler takes it at once. */
  endDeferral(sendId: string): Promise<void>;
  /** The reconciler looks at every unsettled send now. */
  reconcileNow(): Promise<void>;
  /** Servers that are left alone may be tried again now. */
  endPauses(): Promise<void>;
  /** Ids of the messages in a state. */
  idsIn(state: Message["state"]): Promise<string[]>;
}

/** Opens what the ledger has of an account behind the system's back, as the passing of time would change it. */
export function openTimeTravel(
  { stack: { mongodbUrl }, accountId }: Pick<AccountOfSystem, "stack" | "accountId">,
): TimeTravel {
  const client = new MongoClient(mongodbUrl);
  const db = client.db("posthaste");
  const sends = db.collection<Send>("sends");
  const integrations = db.collection<Integration>("integrations");
  const messages = db.collection<Message>("messages");
  return {
    async endDeferral(sendId) {
      const nextAt = new Date(Date.now() - HOUR_MS);
      await messages.updateMany({ sendId, state: "deferred" }, { $set: { nextAt } });
      await sends.updateOne({ _id: sendId }, { $set: { reconcileAt: new Date() } });
    },
    async reconcileNow() {
      const now = new Date();
      await sends.updateMany({ accountId, settledAt: null, reconcileAt: { $gt: now } }, {
        $set: { reconcileAt: now },
      });
    },
    async endPauses() {
      const own = await integrations.find({ accountId }).project<{ _id: string }>({ _id: 1 })
        .toArray();
      await db.collection<{ _id: string }>("integration_health").updateMany(
        { _id: { $in: own.map(({ _id }) => _id) }, openUntil: { $ne: null } },
        { $set: { openUntil: new Date() } },
      );
    },
    async idsIn(state) {
      const found = await messages.find({ accountId, state }).project<{ _id: string }>({ _id: 1 })
        .toArray();
      return found.map(({ _id }) => _id);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
