import type { ErrorCode, Issue } from "@posthaste/contracts";
import { MAX_FOUND } from "@posthaste/http";
import { HttpError } from "./http_error.ts";

/**
 * Codes of a request that has faults, in order of precedence. An issue with any other code makes
 * the request `invalid_request`.
 */
const FAULT_CODES = [
  "invalid_request",
  "placeholder_in_filename",
  "header_not_allowed",
  "too_many_copies",
  "attachment_not_allowed",
  "sender_not_allowed",
  "unknown_pdf_template",
  "unknown_asset",
  "missing_variable",
  "unprintable_variable",
] as const satisfies ErrorCode[];

/** The most faults that one answer lists. */
export const MAX_ISSUES = 1000;

/**
 * Returns the error of a request that has faults. Its `issues` contain every fault of every kind,
 * at most {@linkcode MAX_ISSUES}. Its code is the first of `FAULT_CODES` that one of them has.
 *
 * @param action What fails: `accept the send`.
 * @param faults At least one.
 */
export function httpErrorOf(action: string, faults: readonly Issue[]): HttpError {
  const ranked = FAULT_CODES.flatMap((code) =>
    faults.filter((fault) => errorCodeOf(fault) === code)
  );
  const [first] = ranked;
  if (first === undefined) throw new RangeError(`Cannot refuse to ${action}: there is no fault`);
  const more = ranked.length >= MAX_FOUND ? "many" : ranked.length - 1;
  const rest = ranked.length === 1 ? "" : ` (and ${more} more)`;
  const where = first.path === "" ? "the body" : first.path;
  return new HttpError(errorCodeOf(first), `Cannot ${action}: ${where}: ${first.message}${rest}`, {
    issues: ranked.slice(0, MAX_ISSUES),
  });
}

function errorCodeOf(fault: Issue): (typeof FAULT_CODES)[number] {
  return FAULT_CODES.find((code) => code === fault.code) ?? "invalid_request";
}
