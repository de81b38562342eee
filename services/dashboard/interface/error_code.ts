/** Every `code` in an error body of the dashboard's interface, with the HTTP status it comes with. */
export const DASHBOARD_ERROR_STATUS = {
  invalid_request: 400,
  wrong_login: 400,
  wrong_code: 400,
  template_failed: 422,
  signed_out: 401,
  /** A program has no token that may be used. */
  unauthenticated: 401,
  wrong_origin: 403,
  not_allowed: 403,
  /** The token lacks a scope, or is for something else. */
  missing_scope: 403,
  /** People do this, and no token does. */
  people_only: 403,
  /** It must be shown first that it is still the same person at the browser. */
  confirm_identity: 403,
  /** The account asks its members for a second factor. */
  second_factor_missing: 403,
  /** The address must be proven first. */
  unproven: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  /** Somebody else has changed it meanwhile. */
  conflict: 409,
  /** The page shows another account than one may, or does not say which. */
  wrong_account: 409,
  name_taken: 409,
  /** Files or templates are not what they were when it was planned. */
  plan_outdated: 409,
  /** A draft that a person has not published would be lost. */
  draft_conflict: 409,
  /** Templates without an alias cannot be written as files. */
  alias_missing: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
  /** Nobody who could do it answered in time. */
  no_answer: 504,
} as const;

/** A code of an error body. */
export type DashboardErrorCode = keyof typeof DASHBOARD_ERROR_STATUS;

/** Body of every error. */
export interface ErrorBody {
  /** A sentence for the person at the browser, without a final period. */
  error: string;
  code: DashboardErrorCode;
  /** Faults by path of the field: `senders.0`. */
  issues?: { path: string; message: string }[];
}
