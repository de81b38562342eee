import { hash, randomBytes } from "node:crypto";
import type { AuditEntry } from "@posthaste/contracts";

/** The erasable part of a line: it may concern people. The salt hides it in its digest. */
export interface AuditContent extends Pick<AuditEntry, "userEmail" | "target" | "details"> {
  /** 128 random bits in hex. Without them, a short text could be guessed from its digest. */
  salt: string;
}

/** A line as it is stored in the database. */
export interface StoredAuditLine
  extends Pick<AuditEntry, "_id" | "accountId" | "userId" | "action"> {
  at: Date;
  /** Its position in the account's log, from 1. */
  seq: number;
  /** Null after it was erased. */
  content: AuditContent | null;
  /** SHA-256 of the content, in hex. It stays when the content is erased. */
  contentDigest: string;
  /** Digest of the previous line; empty for the first one. */
  previous: string;
  /** SHA-256 over the whole line except the content itself, in hex. */
  digest: string;
}

/** A line from a version that did not chain its lines. */
export type UnchainedLine = AuditEntry & { seq?: undefined };

/** Returns the line that follows another one. */
export function nextLine(
  entry: AuditEntry,
  last: Pick<StoredAuditLine, "seq" | "digest"> | null,
): StoredAuditLine {
  const { _id, accountId, at, userId, action, userEmail, target, details } = entry;
  const content = { salt: randomBytes(16).toString("hex"), userEmail, target, details };
  const line = {
    ...{ _id, accountId, at, userId, action, content },
    seq: (last?.seq ?? 0) + 1,
    contentDigest: digestOfContent(content),
    previous: last?.digest ?? "",
  };
  return { ...line, digest: digestOf(line) };
}

/** Returns what is wrong with a line that follows another one, or undefined. */
export function faultOf(
  line: StoredAuditLine,
  last: Pick<StoredAuditLine, "seq" | "digest"> | null,
): string | undefined {
  if (line.seq !== (last?.seq ?? 0) + 1) return "a line is missing before it";
  if (line.previous !== (last?.digest ?? "")) return "it does not match the line before";
  if (line.content !== null && digestOfContent(line.content) !== line.contentDigest) {
    return "its text was changed";
  }
  return digestOf(line) === line.digest ? undefined : "it was changed";
}

/** Returns a line in the form that readers get. */
export function readLine(line: StoredAuditLine | UnchainedLine): AuditEntry {
  if (line.seq === undefined) return line;
  const { _id, accountId, at, userId, action, content } = line;
  const { userEmail, target, details } = content ??
    { userEmail: null, target: "(erased)", details: {} };
  return { _id, accountId, at, userId, userEmail, action, target, details };
}

function digestOfContent({ salt, userEmail, target, details }: AuditContent): string {
  // In a fixed order: the database may reorder the fields.
  const sorted = Object.entries(details).toSorted(([a], [b]) => a < b ? -1 : 1);
  return sha256([salt, userEmail, target, sorted]);
}

function digestOf(line: Omit<StoredAuditLine, "digest" | "content">): string {
  const { _id, accountId, at, userId, action, seq, contentDigest, previous } = line;
  return sha256([_id, accountId, at.toISOString(), userId, action, seq, contentDigest, previous]);
}

function sha256(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "hex");
}
