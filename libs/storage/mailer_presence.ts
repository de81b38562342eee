import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** The running mailers, by the database's clock. They share the limits of an integration. */
export interface MailerPresence {
  /** Announces a mailer. */
  announce(id: string): Promise<void>;
  /** Lists the mailers that announced themselves within the last `withinMs`, in one order for all. */
  live(withinMs: number): Promise<string[]>;
  /** Removes a mailer. */
  dismiss(id: string): Promise<void>;
}

/** Returns the presence of mailers in a database. */
export function mailerPresence(db: Db): MailerPresence {
  const { mailers } = collectionsOf(db);
  return {
    async announce(_id) {
      await mailers.updateOne({ _id }, { $currentDate: { seenAt: true } }, { upsert: true });
    },
    async live(withinMs) {
      const recent = { $gt: ["$seenAt", { $subtract: ["$$NOW", withinMs] }] };
      const found = await mailers.find({ $expr: recent }).sort({ _id: 1 }).toArray();
      return found.map(({ _id }) => _id);
    },
    async dismiss(_id) {
      await mailers.deleteOne({ _id });
    },
  };
}
