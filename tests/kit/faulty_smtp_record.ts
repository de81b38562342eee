import type { FaultStage } from "./faulty_smtp_plan.ts";

/**
 * One line of the sink's ledger. Written for each transaction that came to its final dot, was broken
 * off inside of its content, or met a fault; and for each fault outside of a transaction.
 */
export interface FaultySmtpRecord {
  /** ISO 8601. */
  readonly at: string;
  /** The session, 1 for the first that connected. */
  readonly session: number;
  /** The name that the client gave with EHLO. */
  readonly client: string | null;
  /** The user that logged in. */
  readonly user: string | null;
  readonly from: string | null;
  /** Every recipient that was not refused, as the client wrote it. */
  readonly to: readonly string[];
  /** The first Message-ID of the content, with its brackets. */
  readonly messageId: string | null;
  /** SHA-256 of the content with the dot-stuffing undone, in hex; null without a final dot. */
  readonly sha256: string | null;
  /** Length of the content, dot-stuffing undone; without a final dot, of the received part. */
  readonly bytes: number;
  /** Whether the final dot came. */
  readonly finalDot: boolean;
  /** The reply to the dot, if it was sent whole. */
  readonly reply: string | null;
  /** Whether the dot came, and the client may lack the whole reply. */
  readonly ambiguous: boolean;
  /** The injected fault: `dot reset`, `rcpt reply 451 4.7.1 later`. */
  readonly fault: string | null;
  readonly faultStage: FaultStage | null;
}

/** Returns whether the server may have accepted the mail: it replied so, or not at all. */
export function mayHaveTaken(record: FaultySmtpRecord): boolean {
  return record.finalDot && (record.reply === null || record.reply.startsWith("2"));
}
