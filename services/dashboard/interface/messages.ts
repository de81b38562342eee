import type { MessageState, SmtpReply } from "@posthaste/contracts";

/**
 * The routes:
 *
 * | route | takes | gives |
 * | --- | --- | --- |
 * | `GET /api/messages` | `MessageQuery` | `MessageList` |
 * | `GET /api/messages/options` | | `MessageOptions` |
 * | `GET /api/messages/stream` | | server-sent events: `rows` with `MessageRow[]`, `counts` with `StateTotals` |
 * | `GET /api/messages/:id` | | `MessageView` |
 * | `GET /api/messages/:id/content` | | `ContentView` |
 * | `GET /api/messages/:id/pdfs/:n` | | the PDF's bytes, `application/pdf` |
 * | `POST /api/messages/:id/retry` | | `MessageView`; 409 `conflict` if it cannot be |
 * | `POST /api/messages/:id/cancel` | | `MessageView`; 409 `conflict` if it cannot be |
 * | `POST /api/messages/retry` | `BulkRetry` | `BulkRetried` |
 * | `GET /api/sends/:id` | | `SendView` |
 * | `POST /api/sends/:id/cancel` | | `{ canceled }` |
 *
 * Reading takes a viewer, all else an editor.
 */

/** Which messages to list, as it stands in an address's query. */
export interface MessageQuery {
  /** States, with commas. */
  state?: string;
  template?: string;
  integration?: string;
  send?: string;
  /** An address; with `*` at its end what it begins with. */
  email?: string;
  /** ISO 8601. */
  from?: string;
  /** ISO 8601. */
  until?: string;
  /** Stands in the reason or in the server's reply. */
  text?: string;
  /** The reason exactly; `code` and `enhanced` belong to it. */
  reason?: string;
  code?: string;
  enhanced?: string;
  /** Where the page before ended. */
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
   * Why it waits in the ledger for its integration, and how many others go first (10,000 means that many or
   * more); null for what is on its way, or waits for a time.
   */
  waiting: { reason: string; ahead: number } | null;
  reason: string | null;
  reply: SmtpReply | null;
  templateId: number;
  integrationId: number;
  /** Of the send. */
  recipients: number;
}

/** A page of messages, newest first. */
export interface MessageList {
  rows: MessageRow[];
  /** For `before`; null at the end. */
  next: string | null;
  /** Whether the time was not enough to search everything down to `next`. */
  isCut: boolean;
}

/** What filters can be set to. */
export interface MessageOptions {
  templates: { id: number; name: string }[];
  integrations: { id: number; name: string }[];
}

/** How many were accepted in the last 24 hours and are in a state now; 1000 means that many or more. */
export type StateTotals = Record<"failed" | "unknown" | "deferred", number>;

/** One step of a message's way. */
export interface TimelineStep {
  at: string;
  type: MessageState;
  /** From 1; 0 before the first attempt to send. */
  attempt: number;
  /** Of the work itself, in milliseconds; null if it is not known. */
  durationMs: number | null;
  /** Since the step before, in milliseconds; null for the first. */
  sinceMs: number | null;
  detail: string | null;
  /** The server may have the mail, though nobody knows. */
  isAmbiguous: boolean;
}

/** One message, with all that is known of it. */
export interface MessageView extends MessageRow {
  name: string | null;
  from: { email: string; name?: string | undefined };
  template: { id: number; version: number; name: string | null };
  integration: { id: number; name: string | null; host: string | null };
  attachments: { templateId: number; filename: string | null }[];
  /** From request to outcome, or until now, in milliseconds. */
  tookMs: number;
  timeline: TimelineStep[];
  /** W3C trace id. */
  traceId: string | null;
  /** Since when its content is not kept any more; null while it is. */
  contentRemovedAt: string | null;
  /** For how many days content is kept. */
  contentDays: number;
  canRetry: boolean;
  canCancel: boolean;
}

/** A mail as it was filled. */
export interface ContentView {
  subject: string;
  /** Shown in a sandboxed frame without scripts, by `srcdoc`. */
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
  /** What the server said to one of them. */
  response: string | null;
  messageId: string;
}

/** An accepted request. */
export interface SendView {
  id: string;
  acceptedAt: string;
  recipients: number;
  template: { id: number; version: number; name: string | null };
  integration: { id: number; name: string | null };
  priority: "transactional" | "bulk";
  /** When nothing of it was left to do. */
  settledAt: string | null;
  traceId: string | null;
  contentRemovedAt: string | null;
  states: Partial<Record<MessageState, number>>;
  causes: CauseView[];
}

/** What failed for one reason, to be sent again. */
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

/** What became of it; at most 1000 are sent again at once. */
export interface BulkRetried {
  retried: number;
  /** Their content is not kept any more. */
  withoutContent: number;
  /** How many are left; 1000 means that many or more. */
  remaining: number;
}
