import type { SuppressionReason } from "@posthaste/contracts";

/**
 * The routes:
 *
 * | route | takes | gives |
 * | --- | --- | --- |
 * | `GET /api/suppressions` | `SuppressionQuery` | `SuppressionList` |
 * | `GET /api/suppressions/export` | | the list as CSV |
 * | `POST /api/suppressions` | `NewSuppressionInput` | `{ added }`; 409 `conflict` if the list is full |
 * | `POST /api/suppressions/remove` | `{ email }` | `{ removed }` |
 * | `POST /api/suppressions/import?dry=true` | a CSV file | `ImportView` |
 *
 * Reading takes a viewer, all else an editor. Programs use `/v1/suppressions`.
 */

/** Filters of the list. */
export interface SuppressionQuery {
  /** A part of the addresses. */
  part?: string;
  /** The `next` of the previous page. */
  after?: string;
}

/** An address that gets no mail. */
export interface SuppressionView {
  email: string;
  reason: SuppressionReason;
  /** Codes of the server that refused the address, `550 5.1.1`; null if none did. */
  reply: string | null;
  /** The message that was refused. */
  messageId: string | null;
  addedAt: string;
  expiresAt: string | null;
}

/** A page of the list, by address. */
export interface SuppressionList {
  rows: SuppressionView[];
  /** Value for `after`; null at the end. */
  next: string | null;
  /** Of the whole list, with those of forgotten people, whose addresses are not shown. */
  entries: number;
  maxEntries: number;
}

/** A new entry. */
export interface NewSuppressionInput {
  email: string;
  /** ISO 8601; null for never. */
  expiresAt: string | null;
}

/** What an import would do, or did. */
export interface ImportView {
  /** Valid addresses, each once. */
  addresses: number;
  /** Those that are not on the list. The entries of the others stay as they are. */
  added: number;
  /** How many lines are left out. */
  invalidLines: number;
  /** The first of them. */
  invalid: { line: number; message: string }[];
}
