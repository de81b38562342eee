import type { ErrorBody } from "@posthaste/contracts";
import { HttpError } from "@posthaste/http";

/** An error as HTTP says it. */
export interface ApiError {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody | { error: "Unauthenticated" };
}

/**
 * Translates any thrown value to HTTP: status, headers and body. What nobody foresaw becomes a 500 that
 * tells the caller nothing of it.
 */
export function toApiError(error: unknown): ApiError {
  const refusal = toHttpError(error);
  const { code, message, issues, status } = refusal;
  return {
    status,
    headers: headersOf(refusal),
    body: code === "unauthenticated"
      ? { error: "Unauthenticated" }
      : { error: message, code, ...(issues === undefined ? {} : { issues }) },
  };
}

/** Finds the refusal in any thrown value; the framework's own errors are translated. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
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
  return new HttpError("internal", "Cannot answer the request: unexpected error", {
    cause: error,
  });
}

function headersOf(
  { code, retryAfter, allow, acceptEncoding, close }: HttpError,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (code === "unauthenticated") headers["www-authenticate"] = "Bearer";
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  if (allow !== undefined) headers["allow"] = allow.join(", ");
  if (acceptEncoding !== undefined) headers["accept-encoding"] = acceptEncoding;
  if (close) headers["connection"] = "close";
  return headers;
}
