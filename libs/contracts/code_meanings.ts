import type { ErrorCode } from "./error_code.ts";
import type { IssueCode } from "./issue_code.ts";

/** When an answer has each code, in Markdown for docs/http.md. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_json: "the body is empty, not UTF-8, not JSON (`error` has line and column), or has a " +
    "value that is not accepted; see below",
  invalid_request:
    "fields are missing or wrong, the `Idempotency-Key` is malformed, or the request " +
    "is not valid HTTP; see below",
  invalid_cursor: "the `cursor` is not from this list with these filters, or `after` is not from " +
    "this feed; begin without one",
  idempotency_key_required:
    "recipients are added to a [batch](#batches) without an `Idempotency-Key`",
  sender_not_allowed: "`from.email` is not a sender address of the integration",
  unknown_pdf_template: "there is no such PDF template, or it has no published version",
  missing_variable:
    "a required variable is missing or `null`; the issue names it, and in a send the " +
    "positions of recipient and attachment",
  unprintable_variable:
    "a variable is an object or array, and every path through the template prints it " +
    "as text",
  placeholder_in_filename:
    "a `filename` has `{{…}}`. Only the file name of a PDF template may have placeholders",
  header_not_allowed: "`headers` has a name that is not allowed: see [Envelope](#envelope)",
  too_many_copies: "the mails of the send have more than 1,000 addresses in `cc` and `bcc`",
  attachment_not_allowed: "the name of a file has an ending that mail servers refuse",
  unknown_asset: "an attachment names a file that the account does not keep",
  unauthenticated: "the token is missing or invalid: see [Authentication](#authentication)",
  missing_scope:
    "the scopes of the token, or its limits of addresses, templates or integrations, " +
    "do not allow the request",
  unknown_template: "there is no such email template, or it has no published version",
  unknown_integration: "there is no such integration",
  unknown_batch: "there is no such batch",
  unknown_message: "there is no such message",
  unknown_send: "there is no such send",
  unknown_attachment: "the message has no such file",
  unknown_route: "the path does not exist",
  method_not_allowed: "the path has no such method; `Allow` lists its methods",
  request_timeout: "the request did not arrive in time; the connection is closed",
  batch_closed: "the batch is closed or canceled and takes no recipients, or a canceled batch " +
    "cannot be closed",
  batch_full: "the batch would have more than 1,000,000 recipients or 10,000 parts; nobody was " +
    "added",
  too_many_batches: "the account has 100 open batches; close or cancel one",
  not_cancelable: "the state of the message does not allow it; `error` names the state",
  not_retryable: "the state of the message does not allow it; `error` names the state",
  not_scheduled: "the send has started, was canceled or was never scheduled",
  suppression_list_full:
    "the addresses do not fit on the [suppression list](#suppressions) of the account",
  content_removed: "the content of the mail is past its retention; `error` has the date",
  events_expired: "events after this cursor are not kept any more, or the ledger was restored; " +
    "begin without `after`",
  payload_too_large: "the body exceeds its [limit](#limits)",
  unsupported_media_type:
    "`Content-Type` is not `application/json` in UTF-8, or the body is compressed: " +
    "the only `Content-Encoding` is `identity`",
  idempotency_mismatch: "the `Idempotency-Key` was used for another request",
  template_failed: "the template fails with the given values, the filled mail exceeds 1 MB, or " +
    "the document requests a resource that it may not load; see `error`",
  too_many_requests: "the token's requests, the account's bytes or the memory for its bodies are " +
    "used up; `Retry-After` has the seconds to wait",
  headers_too_large: "the headers exceed 16 KB or 100 fields",
  internal: "an unexpected error of the service",
  unavailable: "a part of the service does not answer or is at its limit; `Retry-After` is set. " +
    "See [what it means for a send](#when-the-service-cannot-take-more)",
  render_timeout: "filling the template took longer than `RENDER_TIMEOUT`",
  print_timeout: "the PDF was not ready within `PRINT_TIMEOUT`, or within the printer's own 10 s",
};

/** What a field has with each code of an issue, in Markdown for docs/http.md. */
export const ISSUE_MEANINGS: Readonly<Record<IssueCode, string>> = {
  required: "is missing",
  wrong_type: "has a value of the wrong type or outside its range, such as the id -7",
  empty: "is an empty string or list",
  too_long: "has too many characters or bytes",
  too_many: "is a list with too many items",
  too_deep: "has variables nested too deep",
  unknown_field: "is not defined",
  bad_address: "is not one plain address",
  bad_characters: "has line breaks, control characters or, in a file name, slashes",
  bad_key: "is a malformed `Idempotency-Key` header",
  repeated_field: "appears twice in one object",
  number_not_exact:
    "is an integer beyond ±(2^53-1), which nearly every JSON parser changes; send it as a string",
  number_out_of_range: "is a number outside the range of a double",
  out_of_range: "is a time too far in the future or past",
  half_character: "has half a surrogate pair in its value or name",
  sender_not_allowed: "see the codes of answers",
  unknown_pdf_template: "see the codes of answers",
  placeholder_in_filename: "see the codes of answers",
  missing_variable: "see the codes of answers",
  attachment_not_allowed: "see the codes of answers",
  unknown_asset: "see the codes of answers",
  too_many_copies: "see the codes of answers",
  header_not_allowed: "see the codes of answers",
  unprintable_variable: "see the codes of answers",
};
