/** Every `code` in an error body of the dashboard's interface, with the HTTP status it comes with. */
export const DASHBOARD_ERROR_STATUS = {
  invalid_request: 400,
  wrong_login: 400,
  wrong_code: 400,
  template_failed: 422,
  signed_out: 401,
  /** A program without a valid token. */
  unauthenticated: 401,
  wrong_origin: 403,
  not_allowed: 403,
  /** The token lacks a scope, or is limited to other objects. */
  missing_scope: 403,
  /** Only people may do this, no token. */
  people_only: 403,
  /** The person must confirm their identity first. */
  confirm_identity: 403,
  /** The account requires a second factor. */
  second_factor_missing: 403,
  /** The address must be verified first. */
  unproven: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  /** Another person has changed it meanwhile. */
  conflict: 409,
  /** The page shows an account that the person may not use, or names none. */
  wrong_account: 409,
  name_taken: 409,
  /** Files or templates have changed since the plan. */
  plan_outdated: 409,
  /** A person's unpublished draft would be lost. */
  draft_conflict: 409,
  /** Templates without an alias cannot be written as files. */
  alias_missing: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
  /** No service answered in time. */
  no_answer: 504,
} as const;

/** A code of an error body. */
export type DashboardErrorCode = keyof typeof DASHBOARD_ERROR_STATUS;

/** Body of every error. */
export interface ErrorBody {
  /** A sentence for people, without a final period. */
  error: string;
  code: DashboardErrorCode;
  /** Faults by path of the field: `senders.0`. */
  issues?: { path: string; message: string }[];
}
