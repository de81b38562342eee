import type { Integration, Message, Send } from "@posthaste/contracts";
import { MongoClient } from "mongodb";
import type { AccountOfSystem } from "./system.ts";

const HOUR_MS = 3_600_000;

/** Ends the planned waits in a ledger now. */
export interface TimeTravel extends AsyncDisposable {
  /** Makes all deferred messages of a send due: the reconciler dispatches them immediately. */
  endDeferral(sendId: string): Promise<void>;
  /** Makes every unsettled send due for the reconciler. */
  reconcileNow(): Promise<void>;
  /** Ends the pauses of all servers. */
  endPauses(): Promise<void>;
  /** Returns the ids of the messages in a state. */
  idsIn(state: Message["state"]): Promise<string[]>;
}

/** Opens an account's part of the ledger, to change it as the passing of time would. */
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
