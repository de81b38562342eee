import { z } from "zod";
import { ISSUE_CODES } from "./issue_code.ts";

/** Every `code` in an error body, with its HTTP status. */
export const ERROR_STATUS = {
  invalid_json: 400,
  invalid_request: 400,
  invalid_cursor: 400,
  idempotency_key_required: 400,
  sender_not_allowed: 400,
  unknown_pdf_template: 400,
  missing_variable: 400,
  unprintable_variable: 400,
  placeholder_in_filename: 400,
  header_not_allowed: 400,
  too_many_copies: 400,
  attachment_not_allowed: 400,
  unknown_asset: 400,
  unauthenticated: 401,
  missing_scope: 403,
  unknown_template: 404,
  unknown_integration: 404,
  unknown_batch: 404,
  unknown_message: 404,
  unknown_send: 404,
  unknown_attachment: 404,
  unknown_route: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  batch_closed: 409,
  batch_full: 409,
  too_many_batches: 409,
  not_cancelable: 409,
  not_retryable: 409,
  not_scheduled: 409,
  suppression_list_full: 409,
  content_removed: 410,
  events_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  template_failed: 422,
  too_many_requests: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
  render_timeout: 504,
  print_timeout: 504,
} as const;

/** A code of an error body. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** One fault of a request, with the path of the field: `to.3.attachments.0.id`. */
const issueSchema = z.strictObject({
  path: z.string(),
  code: z.enum(ISSUE_CODES),
  message: z.string(),
});

/** One fault of a request. */
export type Issue = z.infer<typeof issueSchema>;

/** Body of every error but 401, which is exactly `{"error":"Unauthenticated"}`. */
export const errorBodySchema = z.strictObject({
  error: z.string(),
  code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
  issues: z.array(issueSchema).optional(),
});

/** Body of every error but 401. */
export type ErrorBody = z.infer<typeof errorBodySchema>;
