import { type AuditEntry, auditEntrySchema, newId } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { faultOf, nextLine, readLine, type StoredAuditLine } from "./_audit_chain.ts";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";

/**
 * The end of an account's audit log. A reader who keeps it elsewhere notices later that lines were cut off.
 */
export interface AuditSummary {
  /** How many lines are chained. */
  seq: number;
  /** SHA-256 of the last line, in hex; empty if there is none. */
  digest: string;
}

/** The result of checking the whole log of an account. */
export interface AuditCheck {
  head: AuditSummary;
  /** The first line that differs from what was written. */
  fault: { seq: number; what: string } | undefined;
}

/** The operations on audit logs. Lines are added and read, and never changed. */
export interface AuditStore {
  /** Adds a line after the account's last one. */
  note(entry: Omit<AuditEntry, "_id">): Promise<void>;
  /** Lists lines of an account, newest first; `before` is the id of the last one seen. */
  list(
    accountId: string,
    page: { limit: number; before?: string | undefined },
  ): Promise<AuditEntry[]>;
  /** Returns every line of an account, newest first. */
  all(accountId: string): AsyncGenerator<AuditEntry>;
  /** Checks whether every line of an account follows the one before, and is as it was written. */
  check(accountId: string): Promise<AuditCheck>;
  /** Finds the digest of a line of an account, to compare it with one that was kept. */
  findDigest(accountId: string, seq: number): Promise<string | null>;
  /**
   * Erases the content of the lines about a person, over all accounts. The chain stays whole. Returns how
   * many.
   */
  eraseOf(userId: string): Promise<number>;
}

/** Other processes may add lines at the same time. */
const MAX_TRIES = 100;

/** Returns the operations on audit logs. */
export function auditStore(db: Db): AuditStore {
  const { audit, chainedAudit } = collectionsOf(db);

  async function lastOf(accountId: string): Promise<StoredAuditLine | null> {
    // Reads the latest write, not what a majority has: the next number must be free.
    const options = { sort: { seq: -1 }, readConcern: { level: "local" } } as const;
    return await chainedAudit.findOne({ accountId, seq: { $gt: 0 } }, options);
  }

  return {
    async note(entry) {
      const parsed = auditEntrySchema.parse({ ...entry, _id: newId("aud", entry.at) });
      for (let tries = 1;; tries++) {
        try {
          await chainedAudit.insertOne(nextLine(parsed, await lastOf(parsed.accountId)));
          return;
        } catch (error) {
          if (!isDuplicateKey(error) || tries >= MAX_TRIES) throw error;
        }
      }
    },
    async list(accountId, { limit, before }) {
      const filter = before === undefined ? { accountId } : { accountId, _id: { $lt: before } };
      const found = await audit.find(filter).sort({ _id: -1 }).limit(limit).toArray();
      return found.map((line) => auditEntrySchema.parse(readLine(line)));
    },
    async *all(accountId) {
      for await (const line of audit.find({ accountId }).sort({ _id: -1 })) {
        yield auditEntrySchema.parse(readLine(line));
      }
    },
    async check(accountId) {
      let head: AuditSummary = { seq: 0, digest: "" };
      const lines = chainedAudit.find({ accountId, seq: { $gt: 0 } }).sort({ seq: 1 });
      for await (const line of lines) {
        const what = faultOf(line, head.seq === 0 ? null : head);
        if (what !== undefined) return { head, fault: { seq: line.seq, what } };
        head = { seq: line.seq, digest: line.digest };
      }
      return { head, fault: undefined };
    },
    async findDigest(accountId, seq) {
      return (await chainedAudit.findOne({ accountId, seq }))?.digest ?? null;
    },
    async eraseOf(userId) {
      const { modifiedCount } = await chainedAudit.updateMany(
        { userId, seq: { $gt: 0 } },
        { $set: { content: null } },
      );
      return modifiedCount;
    },
  };
}
