import type { MessageState, MessageWarning, SmtpReply, TimelineType } from "@posthaste/contracts";
import type { SuppressionView } from "./suppressions.ts";

/**
 * The routes:
 *
 * | route | takes | gives |
 * | --- | --- | --- |
 * | `GET /api/messages` | `MessageQuery` | `MessageList` |
 * | `GET /api/messages/options` | | `MessageOptions` |
 * | `GET /api/messages/addresses` | `MessageQuery` with `state` failed, unknown or deferred | CSV, each address once |
 * | `GET /api/messages/stream` | | server-sent events: `rows` with `MessageRow[]`, `counts` with `StateTotals` |
 * | `GET /api/messages/:id` | | `MessageView` |
 * | `GET /api/messages/:id/content` | | `ContentView` |
 * | `GET /api/messages/:id/pdfs/:n` | | the PDF's bytes, `application/pdf` |
 * | `GET /api/messages/:id/images/:contentId` | | the bytes of an image that the mail carries |
 * | `POST /api/messages/:id/retry` | | `MessageView`; 409 `conflict` if it cannot be |
 * | `POST /api/messages/:id/cancel` | | `MessageView`; 409 `conflict` if it cannot be |
 * | `POST /api/messages/retry` | `BulkRetry` | `BulkRetried` |
 * | `GET /api/sends/:id` | | `SendView` |
 * | `POST /api/sends/:id/cancel` | | `{ canceled }` |
 *
 * Reading takes a viewer, all else an editor.
 */

/** Filters of a list of messages, as in an address's query. */
export interface MessageQuery {
  /** States, separated by commas. */
  state?: string;
  template?: string;
  integration?: string;
  send?: string;
  batch?: string;
  /**
   * A whole address; with `*` at its end, the beginning of one; the id of a message or a send; else any part of an
   * address or a subject, or 8 and more characters of an id.
   */
  email?: string;
  /** ISO 8601. */
  from?: string;
  /** ISO 8601. */
  until?: string;
  /** Occurs in the reason or in the server's reply. */
  text?: string;
  /** The exact reason, together with `code` and `enhanced`. */
  reason?: string;
  code?: string;
  enhanced?: string;
  /** The `next` of the previous page. */
  before?: string;
}

/** A line of the list. */
export interface MessageRow {
  id: string;
  sendId: string;
  email: string;
  state: MessageState;
  attempt: number;
  acceptedAt: string;
  finishedAt: string | null;
  nextAt: string | null;
  /** Whether it waits for its integration's turn, without a time. */
  isWaiting: boolean;
  /**
   * Why it waits in the ledger for its integration, and how many others go first (10,000 means this
   * many or more); null if it is on its way, or waits for a time.
   */
  waiting: { reason: string; ahead: number } | null;
  reason: string | null;
  reply: SmtpReply | null;
  hasPdfs: boolean;
  /** Its first 200 characters; null before it was rendered for sending, and once its content is removed. */
  subject: string | null;
  templateId: number;
  integrationId: number;
  /** Number of recipients of the send. */
  recipients: number;
}

/** A page of messages, newest first. */
export interface MessageList {
  rows: MessageRow[];
  /** Value for `before`; null at the end. */
  next: string | null;
  /** Whether the time was too short to search everything down to `next`. */
  isCut: boolean;
}

/** The values that filters can have. */
export interface MessageOptions {
  templates: { id: number; name: string }[];
  integrations: { id: number; name: string }[];
}

/** How many messages of the last 24 hours are in a state now; 1000 means this many or more. */
export type StateTotals = Record<"failed" | "unknown" | "deferred", number>;

/** One step of a message's history. */
export interface TimelineStep {
  at: string;
  type: TimelineType;
  /** Counted from 1; 0 before the first attempt to send. */
  attempt: number;
  /** Duration of the work itself, in milliseconds; null if unknown. */
  durationMs: number | null;
  /** Time since the step before, in milliseconds; null for the first. */
  sinceMs: number | null;
  detail: string | null;
  /** `missing_glyphs`: a PDF shows empty boxes instead of characters. */
  warning: MessageWarning | null;
  /** Whether the outcome is unknown: the server may have the mail. */
  isAmbiguous: boolean;
  /** The integration of the attempt, if it is not the send's own. */
  integrationId?: number | undefined;
}

/** One message in full. */
export interface MessageView extends MessageRow {
  name: string | null;
  from: { email: string; name?: string | undefined };
  template: { id: number; version: number; name: string | null };
  integration: { id: number; name: string | null; host: string | null };
  /** Its PDFs. The file name is the one of the request; null for that of the template. */
  attachments: {
    id: number;
    version: number | null;
    name: string | null;
    filename: string | null;
  }[];
  /** The tag of its language variant; null for the template's own body. */
  variant: string | null;
  /** Time from request to outcome, or until now, in milliseconds. */
  tookMs: number;
  timeline: TimelineStep[];
  /** W3C trace id. */
  traceId: string | null;
  /** Since when its content is removed; null while it is kept. */
  contentRemovedAt: string | null;
  /** For how many days content is kept. */
  contentDays: number;
  /** The entry of the suppression list that applies to the address now; null if there is none. */
  suppression: SuppressionView | null;
  canRetry: boolean;
  canCancel: boolean;
}

/** A mail as it was filled. */
export interface ContentView {
  subject: string;
  /** Shown in a sandboxed frame without scripts, by `srcdoc`. Its images are `cid:` addresses. */
  html: string;
  text: string;
  pdfs: { filename: string }[];
}

/** Messages in the same state for the same cause. */
export interface CauseView {
  state: MessageState;
  reason: string | null;
  code: number | null;
  enhanced: string | null;
  count: number;
  /** The server's reply to one of them. */
  response: string | null;
  messageId: string;
}

/** An accepted request. */
export interface SendView {
  id: string;
  /** The batch that it is a part of. */
  batchId: string | null;
  acceptedAt: string;
  recipients: number;
  template: { id: number; version: number; name: string | null };
  integration: { id: number; name: string | null };
  priority: "transactional" | "bulk";
  /** When the last of its messages reached a final state. */
  settledAt: string | null;
  traceId: string | null;
  contentRemovedAt: string | null;
  states: Partial<Record<MessageState, number>>;
  causes: CauseView[];
}

/** Selects messages that failed for one reason, for a retry. */
export interface BulkRetry {
  state: "failed" | "unknown" | "deferred";
  reason: string | null;
  code: number | null;
  enhanced: string | null;
  /** Of one send. */
  send?: string | undefined;
  /** Accepted at this time or later, ISO 8601. */
  from?: string | undefined;
}

/** The result of a retry; one call retries at most 1000 messages. */
export interface BulkRetried {
  retried: number;
  /** Messages that were not retried because their content is removed. */
  withoutContent: number;
  /** How many are left, up to 100,000. */
  remaining: number;
}
