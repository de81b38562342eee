import type { TokenScope } from "@posthaste/contracts";
import type { IncomingHttpHeaders } from "node:http";
import { HttpError } from "./http_error.ts";

const BEARER_PATTERN = /^Bearer +([\x21-\x7e]{1,256}) *$/i;

/**
 * Returns the text of a request's token, out of `Authorization: Bearer …` (RFC 6750, 2.1).
 *
 * @throws {HttpError} `unauthenticated` if there is none.
 */
export function bearerToken({ authorization = "" }: IncomingHttpHeaders): string {
  const text = BEARER_PATTERN.exec(authorization)?.[1];
  if (text === undefined) throw unauthenticated();
  return text;
}

/** Returns the error for a missing or unknown token; all of them get the same answer. */
export function unauthenticated(): HttpError {
  return new HttpError("unauthenticated", "Unauthenticated");
}

/**
 * Refuses a token that lacks one of the needed scopes.
 *
 * @throws {HttpError} `missing_scope`
 */
export function requireScopes(
  held: readonly TokenScope[],
  needed: readonly TokenScope[],
): void {
  const lacking = needed.find((scope) => !held.includes(scope));
  if (lacking === undefined) return;
  throw new HttpError(
    "missing_scope",
    `Cannot use this token here: it lacks the scope "${lacking}"`,
  );
}
