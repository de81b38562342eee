import type { Db } from "mongodb";
import type { StoredAuditLine, UnchainedLine } from "./_audit_chain.ts";
import { collectionsOf } from "./_collections.ts";
import { escaped } from "./_escaped.ts";
import { FORGOTTEN_ADDRESS } from "@posthaste/contracts";

/** How an account's audit log is searched for a person. */
export interface AuditForgetting {
  /** Whether lines are erased where they name the person, or only counted. */
  audit: "erase" | "count";
  /** Id of the last line that an earlier call has read. @default the beginning */
  auditAfter?: string | undefined;
  /** Returns whether the time is over. At least one line is read. */
  isOver(): boolean;
}

type Cleaning = { content: null } | Pick<UnchainedLine, "userEmail" | "target" | "details">;

/**
 * Erases or counts the lines that name a person. Returns their number, and the id of the last line that was
 * read if the time was over before the end of the log.
 */
export async function forgetInAudit(
  db: Db,
  { accountId, email }: { accountId: string; email: string },
  { audit: how, auditAfter = "", isOver }: AuditForgetting,
): Promise<{ lines: number; next: string | null }> {
  const { audit, chainedAudit } = collectionsOf(db);
  const mention = new RegExp(escaped(email), "i");
  let lines = 0;
  for await (const entry of audit.find({ accountId, _id: { $gt: auditAfter } }).sort({ _id: 1 })) {
    const { _id } = entry;
    const $set = cleaningOf(entry, mention);
    if ($set !== null) lines++;
    if ($set !== null && how === "erase") {
      await ("content" in $set
        ? chainedAudit.updateOne({ _id, accountId }, { $set })
        : audit.updateOne({ _id, accountId }, { $set }));
    }
    if (isOver()) return { lines, next: _id };
  }
  return { lines, next: null };
}

/** Returns what replaces a line's text; `null` if it does not name the person. */
function cleaningOf(entry: StoredAuditLine | UnchainedLine, mention: RegExp): Cleaning | null {
  if (entry.seq !== undefined) {
    // The digest covers the whole content, so the whole content is erased and the chain stays.
    const isNamed = entry.content !== null && mention.test(JSON.stringify(entry.content));
    return isNamed ? { content: null } : null;
  }
  const { userEmail, target, details } = entry;
  const text = JSON.stringify({ userEmail, target, details });
  const clean = text.replaceAll(new RegExp(mention, "gi"), FORGOTTEN_ADDRESS);
  return clean === text ? null : JSON.parse(clean);
}
