import { z } from "zod";
import {
  BATCH_LIST_QUERY,
  batchBodySchema,
  batchDetailSchema,
  batchRecipientsSchema,
  batchSchema,
} from "./batch.ts";
import type { TokenScope } from "./documents.ts";
import type { ErrorCode } from "./error_code.ts";
import { FEED_QUERY, feedPageSchema } from "./feed_event.ts";
import { integrationSummarySchema } from "./integration_summary.ts";
import { LIST_QUERY, listSchema } from "./list.ts";
import { LOCALE_QUERY } from "./locale.ts";
import { sendBodySchema } from "./send_request.ts";
import { serviceSummarySchema } from "./service_summary.ts";
import { CANCEL_BODY, RETRY_BODY, RETRY_ONE_BODY, SCHEDULE_BODY } from "./message_changes.ts";
import { MESSAGE_FILTERS, SEND_LIST_FILTERS } from "./message_filters.ts";
import {
  messageContentSchema,
  messageDetailSchema,
  messageFoundSchema,
  messagesCanceledSchema,
  messagesRetriedSchema,
  renderedSchema,
  sendAcceptedSchema,
  sendCanceledSchema,
  sendFoundSchema,
  sendStateSchema,
} from "./state_answers.ts";
import {
  SUPPRESS_BODY,
  suppressedSchema,
  SUPPRESSION_FILTERS,
  suppressionFoundSchema,
  UNSUPPRESS_BODY,
  unsuppressedSchema,
} from "./suppression.ts";
import { templateSummarySchema } from "./template_summary.ts";
import {
  DRY_RUN_QUERY,
  dryRunSchema,
  EXPLAIN_QUERY,
  explanationSchema,
} from "./variable_origin.ts";
import { variablesSchema } from "./variables.ts";

/** One request of an interface for programs. */
export interface Endpoint<Code extends string = ErrorCode> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters in braces: `/v1/templates/{id}`. */
  path: string;
  /** Its name in the OpenAPI document; it never changes. */
  operation: string;
  /** What it does, in one sentence. */
  summary: string;
  /** Anchor of its section in docs/http.md. */
  section?: string;
  /** The scopes that a token needs, all of them. An empty list accepts any token. */
  scopes: readonly TokenScope[];
  /** Parameters of the path that are not any text. */
  params?: Readonly<Record<string, z.ZodType>>;
  /** Parameters after the `?`. */
  query?: z.ZodObject;
  /** Its own headers that a request may have. */
  headers?: Readonly<Record<string, z.ZodType>>;
  body?: z.ZodType;
  /** Whether a request may have no body. @default {false} */
  isBodyOptional?: boolean;
  /** @default {"application/json"} */
  bodyMediaType?: string;
  /** Schema of its answer with status 200. */
  answer: z.ZodType;
  /** @default {"application/json"} */
  mediaType?: string;
  /** The answer has an `ETag`, and may be 304. */
  revalidates?: boolean;
  /** Codes of 404: an object that the path names does not exist. */
  unknown?: readonly Code[];
  /** Its other codes, besides those of every endpoint. */
  codes?: readonly Code[];
}

/** Faults of a send, whether it is accepted or tried. */
const SEND_FAULTS = [
  ...["sender_not_allowed", "unknown_pdf_template", "missing_variable"] as const,
  ...["unprintable_variable", "placeholder_in_filename", "header_not_allowed"] as const,
  ...["too_many_copies", "attachment_not_allowed", "unknown_asset"] as const,
];

/** Codes that every endpoint may answer with. */
export const COMMON_CODES = [
  "invalid_request",
  "unauthenticated",
  "missing_scope",
  "request_timeout",
  "too_many_requests",
  "headers_too_large",
  "internal",
  "unavailable",
] as const satisfies ErrorCode[];

/** Codes of every endpoint that takes a body. */
export const BODY_CODES = [
  "invalid_json",
  "payload_too_large",
  "unsupported_media_type",
] as const satisfies ErrorCode[];

const KEY = { "Idempotency-Key": z.string().min(1).max(255) } as const;

const LIST = { query: z.strictObject(LIST_QUERY), codes: ["invalid_cursor"] } as const;

/** An answer that is a PDF. */
const PDF = {
  answer: z.custom<Uint8Array>((value) => value instanceof Uint8Array)
    .meta({ type: "string", contentMediaType: "application/pdf" }),
  mediaType: "application/pdf",
} as const;

/** An answer that is a file of a mail: of the type that its sender says. */
const FILE = {
  answer: z.custom<Uint8Array>((value) => value instanceof Uint8Array)
    .meta({ type: "string", contentMediaType: "application/octet-stream" }),
  mediaType: "*/*",
} as const;

const DISCOVERY: readonly Endpoint[] = [
  {
    ...{ method: "GET", path: "/v1", operation: "getService", scopes: [] },
    summary: "Returns what the service is, and what the token may do",
    section: "discovery",
    answer: serviceSummarySchema,
  },
  {
    ...{ method: "GET", path: "/v1/openapi.json", operation: "getOpenApi", scopes: [] },
    summary: "Returns the OpenAPI document of this interface",
    section: "openapi",
    answer: z.looseObject({ openapi: z.string() }),
    revalidates: true,
  },
  {
    ...{ method: "GET", path: "/v1/templates", operation: "listTemplates", scopes: ["read"] },
    summary: "Lists the published email templates",
    section: "templates",
    ...LIST,
    answer: listSchema(templateSummarySchema),
  },
  {
    ...{ method: "GET", path: "/v1/templates/{id}", operation: "getTemplate", scopes: ["read"] },
    summary: "Returns a published email template, by id or alias",
    section: "templates",
    answer: templateSummarySchema,
    unknown: ["unknown_template"],
  },
  {
    ...{ method: "GET", path: "/v1/pdf-templates", scopes: ["read"] },
    operation: "listPdfTemplates",
    summary: "Lists the published PDF templates",
    section: "templates",
    ...LIST,
    answer: listSchema(templateSummarySchema),
  },
  {
    ...{ method: "GET", path: "/v1/pdf-templates/{id}", scopes: ["read"] },
    operation: "getPdfTemplate",
    summary: "Returns a published PDF template, by id or alias",
    section: "templates",
    answer: templateSummarySchema,
    unknown: ["unknown_pdf_template"],
  },
  {
    ...{ method: "GET", path: "/v1/templates/{id}/schema", scopes: ["read"] },
    operation: "getTemplateSchema",
    summary: "Returns the JSON Schema of the variables of an email template",
    section: "the-variables-of-a-template",
    answer: z.looseObject({ $schema: z.string(), type: z.literal("object") }),
    mediaType: "application/schema+json",
    revalidates: true,
    unknown: ["unknown_template"],
  },
  {
    ...{ method: "GET", path: "/v1/pdf-templates/{id}/schema", scopes: ["read"] },
    operation: "getPdfTemplateSchema",
    summary: "Returns the JSON Schema of the variables of a PDF template",
    section: "the-variables-of-a-template",
    answer: z.looseObject({ $schema: z.string(), type: z.literal("object") }),
    mediaType: "application/schema+json",
    revalidates: true,
    unknown: ["unknown_pdf_template"],
  },
  {
    ...{ method: "GET", path: "/v1/integrations", operation: "listIntegrations", scopes: ["read"] },
    summary: "Lists the integrations that mail can be sent through",
    section: "integrations",
    ...LIST,
    answer: listSchema(integrationSummarySchema),
  },
  {
    ...{ method: "GET", path: "/v1/integrations/{id}", scopes: ["read"] },
    operation: "getIntegration",
    summary: "Returns an integration and its state",
    section: "integrations",
    answer: integrationSummarySchema,
    unknown: ["unknown_integration"],
  },
];

const MAIL: readonly Endpoint[] = [
  {
    ...{ method: "POST", path: "/v1/templates/{templateId}/render", scopes: ["render"] },
    operation: "renderTemplate",
    summary: "Fills an email template with variables",
    section: "render",
    query: LOCALE_QUERY,
    body: variablesSchema,
    answer: renderedSchema,
    unknown: ["unknown_template"],
    codes: ["missing_variable", "unprintable_variable", "template_failed", "render_timeout"],
  },
  {
    ...{ method: "POST", path: "/v1/pdf-templates/{id}/render", scopes: ["render"] },
    operation: "renderPdfTemplate",
    summary: "Fills a PDF template with variables and prints it",
    section: "render-a-pdf",
    query: LOCALE_QUERY,
    body: variablesSchema,
    ...PDF,
    unknown: ["unknown_pdf_template"],
    codes: [
      ...["missing_variable", "unprintable_variable", "template_failed"] as const,
      ...["render_timeout", "print_timeout"] as const,
    ],
  },
  {
    ...{ method: "POST", path: "/v1/templates/{templateId}/send/{integrationId}" },
    ...{ operation: "sendTemplate", scopes: ["send"] },
    summary: "Accepts one mail per recipient, all or none",
    section: "send",
    headers: KEY,
    body: sendBodySchema(),
    answer: sendAcceptedSchema,
    unknown: ["unknown_template", "unknown_integration"],
    codes: [
      ...SEND_FAULTS,
      "idempotency_mismatch",
    ],
  },
  {
    ...{ method: "POST", path: "/v1/templates/{templateId}/send/{integrationId}/dry-run" },
    ...{ operation: "tryTemplate", scopes: ["send"] },
    summary: "Checks a send and fills some of its mails, without accepting it",
    section: "dry-run",
    query: DRY_RUN_QUERY,
    body: sendBodySchema(),
    answer: dryRunSchema,
    unknown: ["unknown_template", "unknown_integration"],
    codes: [
      ...SEND_FAULTS,
      ...["template_failed", "render_timeout"] as const,
    ],
  },
  {
    ...{ method: "GET", path: "/v1/sends/{id}", operation: "getSend", scopes: ["read"] },
    summary: "Returns an accepted send with the state of each message",
    section: "the-state-of-a-send",
    answer: sendStateSchema,
    unknown: ["unknown_send"],
  },
  {
    ...{ method: "GET", path: "/v1/messages/{id}", operation: "getMessage", scopes: ["read"] },
    summary: "Returns the state and history of one recipient's mail",
    section: "the-state-of-a-message",
    answer: messageDetailSchema,
    unknown: ["unknown_message"],
  },
];

const SEARCHES: readonly Endpoint[] = [
  {
    ...{ method: "GET", path: "/v1/sends", operation: "listSends", scopes: ["list"] },
    summary: "Finds accepted sends, the newest first",
    section: "list-sends",
    query: z.strictObject({ ...SEND_LIST_FILTERS, ...LIST_QUERY }),
    answer: listSchema(sendFoundSchema),
    codes: ["invalid_cursor"],
  },
  {
    ...{ method: "GET", path: "/v1/messages", operation: "listMessages", scopes: ["list"] },
    summary: "Finds messages, the newest first",
    section: "list-messages",
    query: z.strictObject({ ...MESSAGE_FILTERS, ...LIST_QUERY }),
    answer: listSchema(messageFoundSchema),
    codes: ["invalid_cursor"],
  },
  {
    ...{ method: "GET", path: "/v1/events", operation: "listEvents", scopes: ["list"] },
    summary: "Reads what happened, the oldest first, and waits for more",
    section: "events",
    query: z.strictObject(FEED_QUERY),
    answer: feedPageSchema,
    codes: ["invalid_cursor", "events_expired"],
  },
  {
    ...{ method: "GET", path: "/v1/messages/{id}/content", scopes: ["read:content"] },
    operation: "getMessageContent",
    summary: "Renders a message again, as it was sent",
    section: "the-content-of-a-message",
    answer: messageContentSchema,
    unknown: ["unknown_message"],
    codes: ["content_removed", "template_failed", "render_timeout"],
  },
  {
    ...{ method: "GET", path: "/v1/messages/{id}/attachments/{n}", scopes: ["read:content"] },
    operation: "getMessageAttachment",
    summary: "Returns one of a message's files: as it was sent, or a PDF printed again",
    section: "the-content-of-a-message",
    ...FILE,
    unknown: ["unknown_message", "unknown_attachment"],
    codes: ["content_removed", "template_failed", "render_timeout", "print_timeout"],
  },
  {
    ...{ method: "GET", path: "/v1/messages/{id}/explain", scopes: ["read:content"] },
    operation: "explainMessage",
    summary: "Returns which level of the request gave each variable of a message",
    section: "where-the-variables-came-from",
    query: EXPLAIN_QUERY,
    answer: explanationSchema,
    unknown: ["unknown_message"],
    codes: ["content_removed"],
  },
];

const CHANGES: readonly Endpoint[] = [
  {
    ...{ method: "PATCH", path: "/v1/sends/{id}", scopes: ["manage:messages"] },
    operation: "scheduleSend",
    summary: "Changes when a scheduled send starts",
    section: "send-later",
    body: SCHEDULE_BODY,
    answer: sendStateSchema,
    unknown: ["unknown_send"],
    codes: ["not_scheduled"],
  },
  {
    ...{ method: "POST", path: "/v1/messages/{id}/cancel", scopes: ["manage:messages"] },
    operation: "cancelMessage",
    summary: "Cancels a message that is not sent yet",
    section: "cancel",
    answer: messageDetailSchema,
    unknown: ["unknown_message"],
    codes: ["not_cancelable"],
  },
  {
    ...{ method: "POST", path: "/v1/sends/{id}/cancel", scopes: ["manage:messages"] },
    operation: "cancelSend",
    summary: "Cancels the messages of a send that are not sent yet",
    section: "cancel",
    answer: sendCanceledSchema,
    unknown: ["unknown_send"],
  },
  {
    ...{ method: "POST", path: "/v1/messages/cancel", scopes: ["manage:messages"] },
    operation: "cancelMessages",
    summary: "Cancels up to 1,000 messages that a filter finds",
    section: "cancel",
    body: CANCEL_BODY,
    answer: messagesCanceledSchema,
  },
  {
    ...{ method: "POST", path: "/v1/messages/{id}/retry", scopes: ["manage:messages"] },
    operation: "retryMessage",
    summary: "Sends a message again",
    section: "retry",
    body: RETRY_ONE_BODY,
    isBodyOptional: true,
    answer: messageDetailSchema,
    unknown: ["unknown_message"],
    codes: ["not_retryable", "content_removed"],
  },
  {
    ...{ method: "POST", path: "/v1/messages/retry", scopes: ["manage:messages"] },
    operation: "retryMessages",
    summary: "Sends up to 1,000 messages again, found by the cause of their failure",
    section: "retry",
    body: RETRY_BODY,
    answer: messagesRetriedSchema,
  },
];

const SUPPRESSIONS: readonly Endpoint[] = [
  {
    ...{ method: "GET", path: "/v1/suppressions", scopes: ["list"] },
    operation: "listSuppressions",
    summary: "Lists the addresses that get no mail, by address",
    section: "suppressions",
    query: z.strictObject({ ...SUPPRESSION_FILTERS, ...LIST_QUERY }),
    answer: listSchema(suppressionFoundSchema),
    codes: ["invalid_cursor"],
  },
  {
    ...{ method: "POST", path: "/v1/suppressions", scopes: ["manage:suppressions"] },
    operation: "addSuppressions",
    summary: "Puts up to 1,000 addresses on the suppression list",
    section: "suppressions",
    body: SUPPRESS_BODY,
    answer: suppressedSchema,
    codes: ["suppression_list_full"],
  },
  {
    ...{ method: "POST", path: "/v1/suppressions/remove", scopes: ["manage:suppressions"] },
    operation: "removeSuppressions",
    summary: "Takes up to 1,000 addresses from the suppression list",
    section: "suppressions",
    body: UNSUPPRESS_BODY,
    answer: unsuppressedSchema,
  },
];

const BATCHES: readonly Endpoint[] = [
  {
    ...{ method: "POST", path: "/v1/batches", operation: "createBatch", scopes: ["send"] },
    summary: "Opens a batch: many sends under one id",
    section: "batches",
    headers: KEY,
    body: batchBodySchema(),
    answer: batchSchema,
    unknown: ["unknown_template", "unknown_integration"],
    codes: [
      ...["sender_not_allowed", "header_not_allowed", "attachment_not_allowed"] as const,
      ...["placeholder_in_filename", "unknown_asset", "too_many_batches"] as const,
      "idempotency_mismatch",
    ],
  },
  {
    ...{ method: "POST", path: "/v1/batches/{id}/recipients", scopes: ["send"] },
    operation: "addRecipients",
    summary: "Accepts one mail per recipient as a part of a batch, all or none",
    section: "batches",
    headers: KEY,
    body: batchRecipientsSchema(),
    answer: sendAcceptedSchema,
    unknown: ["unknown_batch", "unknown_integration"],
    codes: [
      ...SEND_FAULTS,
      ...["batch_closed", "batch_full", "idempotency_key_required"] as const,
      "idempotency_mismatch" as const,
    ],
  },
  {
    ...{ method: "POST", path: "/v1/batches/{id}/close", scopes: ["send"] },
    operation: "closeBatch",
    summary: "Closes a batch: its mail leaves, and no recipients can be added",
    section: "batches",
    answer: batchSchema,
    unknown: ["unknown_batch"],
    codes: ["batch_closed"],
  },
  {
    ...{ method: "POST", path: "/v1/batches/{id}/cancel", scopes: ["manage:messages"] },
    operation: "cancelBatch",
    summary: "Cancels the messages of a batch that are not sent yet",
    section: "batches",
    answer: batchSchema,
    unknown: ["unknown_batch"],
  },
  {
    ...{ method: "GET", path: "/v1/batches/{id}", operation: "getBatch", scopes: ["read"] },
    summary: "Returns a batch, and counts its messages by state",
    section: "batches",
    answer: batchDetailSchema,
    unknown: ["unknown_batch"],
  },
  {
    ...{ method: "GET", path: "/v1/batches", operation: "listBatches", scopes: ["list"] },
    summary: "Lists the batches, the newest first",
    section: "batches",
    query: BATCH_LIST_QUERY,
    answer: listSchema(batchSchema),
    codes: ["invalid_cursor"],
  },
];

/** All endpoints of the interface for programs. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...DISCOVERY,
  ...MAIL,
  ...BATCHES,
  ...SEARCHES,
  ...CHANGES,
  ...SUPPRESSIONS,
];

/** Returns the scopes that a token needs as the documentation shows them: `` `read` and `send` ``. */
export function scopesText(scopes: readonly TokenScope[]): string {
  return scopes.length === 0 ? "any" : scopes.map((scope) => `\`${scope}\``).join(" and ");
}
