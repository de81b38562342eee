import type { ErrorCode, Issue } from "@posthaste/contracts";
import { MAX_FOUND, Refusal } from "@posthaste/http";

/** Kinds of fault that a request can have, in the order in which they decide about the code. */
const FAULT_CODES = [
  "invalid_request",
  "sender_not_allowed",
  "unknown_pdf_template",
  "missing_variable",
] as const satisfies ErrorCode[];

/** The most faults that one answer lists. */
export const MAX_ISSUES = 1000;

/** One fault of a request: what kind it is, where, and what is wrong. */
export interface Fault extends Issue {
  code: (typeof FAULT_CODES)[number];
}

/**
 * Makes the refusal of a request that has faults, of whatever kinds: every one is in its `issues`,
 * at most {@linkcode MAX_ISSUES}, and its code is that of the kind that comes first.
 *
 * @param action What cannot be done: `accept the send`.
 * @param faults At least one.
 */
export function refusalOf(action: string, faults: readonly Fault[]): Refusal {
  const ranked = FAULT_CODES.flatMap((code) => faults.filter((fault) => fault.code === code));
  const [first] = ranked;
  if (first === undefined) throw new RangeError(`Cannot refuse to ${action}: there is no fault`);
  const more = ranked.length >= MAX_FOUND ? "many" : ranked.length - 1;
  const rest = ranked.length === 1 ? "" : ` (and ${more} more)`;
  const where = first.path === "" ? "the body" : first.path;
  return new Refusal(first.code, `Cannot ${action}: ${where}: ${first.message}${rest}`, {
    issues: ranked.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path, message })),
  });
}
