import type { Issue } from "@posthaste/contracts";
import { type CommonErrorCode, HttpError, type ShownIssue } from "./http_error.ts";

/** The error answers of an edge: its closed list of codes, and its own words. */
export interface EdgeErrors<Code extends string = string> {
  /** HTTP status of every code. */
  statuses: Readonly<Record<Code, number>>;
  /** The edge's codes for common codes that its list lacks. */
  codes: Readonly<Record<Exclude<CommonErrorCode, Code>, Code>>;
  /** Messages of the two answers for which no route throws an error. */
  messages: Readonly<Record<"internal" | "unknown_route", string>>;
}

/** An error in the form of an HTTP answer. */
export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: { error: string; code?: string; issues?: ShownIssue[] };
}

/** Every fault of a token gets the same answer: it reveals nothing about the token. */
const UNAUTHENTICATED = {
  headers: { "www-authenticate": "Bearer" },
  body: { error: "Unauthenticated" },
};

/** Translates any thrown value to HTTP: status, headers and body. */
export function errorAnswer<Code extends string>(
  error: unknown,
  errors: EdgeErrors<Code>,
): ErrorAnswer {
  const { code, message, issues, status, ...found } = toHttpError(error, errors);
  const answer = { status: status ?? errors.statuses[code], headers: headersOf(found) };
  if (code === "unauthenticated") {
    const { headers, body } = UNAUTHENTICATED;
    return { ...answer, headers: { ...answer.headers, ...headers }, body: { ...body } };
  }
  return {
    ...answer,
    body: { error: message, code, ...(issues === undefined ? {} : { issues }) },
  };
}

/**
 * Finds the error of an edge in any thrown value. The framework's own errors are translated. An unforeseen
 * value becomes `internal`, with the value as its cause and a message that reveals nothing.
 */
export function toHttpError<Code extends string>(
  error: unknown,
  errors: EdgeErrors<Code>,
): HttpError<Code, ShownIssue> {
  const found = error instanceof HttpError ? error : frameworkError(error, errors);
  const { code, message, ...options } = found;
  if (Object.hasOwn(errors.statuses, code)) return found as HttpError<Code, ShownIssue>;
  const known = (errors.codes as Record<string, Code | undefined>)[code];
  if (known === undefined) throw new TypeError(`Cannot answer an error: no such code "${code}"`);
  return new HttpError<Code, Issue>(known, message, { ...options, cause: found.cause });
}

function frameworkError(error: unknown, { messages }: EdgeErrors): HttpError {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new HttpError("payload_too_large", "Cannot read the request: the body is too large");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new HttpError(
        "unsupported_media_type",
        "Cannot read the request: Content-Type must be application/json",
      );
    case "FST_ERR_BAD_URL":
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new HttpError("unknown_route", "Cannot read the request: the path is not valid");
  }
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return new HttpError("invalid_request", "Cannot read the request: it is not valid HTTP", {
      cause: error,
    });
  }
  return new HttpError("internal", messages.internal, { cause: error });
}

function headersOf(
  { retryAfter, allow, acceptEncoding, close }: Pick<
    HttpError,
    "retryAfter" | "allow" | "acceptEncoding" | "close"
  >,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  if (allow !== undefined) headers["allow"] = allow.join(", ");
  if (acceptEncoding !== undefined) headers["accept-encoding"] = acceptEncoding;
  if (close) headers["connection"] = "close";
  return headers;
}
