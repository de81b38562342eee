import { type AuditEntry, auditEntrySchema, newId } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** What can be done with audit logs: lines are added and read, and never changed. */
export interface AuditStore {
  /** Adds a line. */
  noteAudit(entry: Omit<AuditEntry, "_id">): Promise<void>;
  /** Lists lines of an account, newest first; `before` is the id of the last one seen. */
  listAudit(
    accountId: string,
    page: { limit: number; before?: string | undefined },
  ): Promise<AuditEntry[]>;
}

/** Gives the operations on audit logs. */
export function auditStore(db: Db): AuditStore {
  const { audit } = collectionsOf(db);
  return {
    async noteAudit(entry) {
      const _id = newId("aud", entry.at);
      await audit.insertOne(auditEntrySchema.parse({ ...entry, _id }));
    },
    async listAudit(accountId, { limit, before }) {
      const filter = before === undefined ? { accountId } : { accountId, _id: { $lt: before } };
      const found = await audit.find(filter).sort({ _id: -1 }).limit(limit).toArray();
      return found.map((entry) => auditEntrySchema.parse(entry));
    },
  };
}
