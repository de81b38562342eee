import { ENDPOINTS } from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import type { ApiTrial, ApiTrialAnswer } from "./interface/api_page.ts";

/** The longest answer of the interface takes 30 s. */
const TIMEOUT_MS = 40_000;
const MAX_ANSWER_BYTES = 12_000_000;
const SHOWN_HEADERS = ["retry-after", "ratelimit-policy", "idempotent-replayed", "etag"];

const PATHS = ENDPOINTS.map(({ method, path }) => ({
  method,
  // A parameter has no slash, so a path matches no other endpoint.
  pattern: new RegExp(
    `^${path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/]+")}$`,
  ),
}));

/** The client of a tried request, and where the interface is. */
export interface TrialTarget {
  /** Base of the interface, such as `http://api:8080/v1`. */
  baseUrl: string;
  /** Address of the person's browser. */
  ip: string;
}

/**
 * Sends a request of the interface for a person. It reaches the interface's own endpoints and nothing else.
 *
 * @throws {HttpError} `not_found` if there is no such endpoint; `no_answer` or `unavailable` if none answers.
 */
export async function tryRequest(
  { method, path, token, body, idempotencyKey }: ApiTrial,
  { baseUrl, ip }: TrialTarget,
): Promise<ApiTrialAnswer> {
  const base = new URL(baseUrl);
  const url = new URL(path, base.origin);
  const isKnown = PATHS.some((one) => one.method === method && one.pattern.test(url.pathname));
  if (url.origin !== base.origin || !isKnown || !hasPlainSegments(url.pathname)) {
    throw new HttpError("not_found", `The interface has no endpoint ${method} ${path}`);
  }
  // The interface may be mounted below another path.
  url.pathname = `${base.pathname.replace(/\/v1\/?$/, "")}${url.pathname}`;
  const started = performance.now();
  const response = await fetch(url, {
    method,
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      authorization: `Bearer ${token}`,
      // Counts if the interface trusts the dashboard as a proxy.
      "x-forwarded-for": ip,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    ...(body === undefined ? {} : { body }),
  }).catch((cause) => {
    throw new HttpError("unavailable", "The interface did not answer. Try again", { cause });
  });
  const bytes = await readBounded(response);
  const contentType = response.headers.get("content-type") ?? "";
  const isText = /^(?:text\/|application\/(?:json|problem\+json))/.test(contentType);
  return {
    status: response.status,
    durationMs: Math.round(performance.now() - started),
    contentType,
    headers: Object.fromEntries(
      [...response.headers].filter(([name]) => SHOWN_HEADERS.includes(name)),
    ),
    text: isText || bytes.length === 0 ? bytes.toString("utf8") : null,
    base64: isText || bytes.length === 0 ? null : bytes.toString("base64"),
  };
}

/**
 * Returns whether no segment of a path leads elsewhere for a gateway that decodes it, however often. So an
 * encoded slash, backslash or dot segment is refused.
 */
function hasPlainSegments(pathname: string): boolean {
  return pathname.split("/").slice(1).every((segment) => {
    const text = decodeFully(segment);
    // Some servers remove what follows a semicolon before they look for dot segments.
    return text !== undefined && !/[/\\\p{Cc}]/u.test(text) && !/^\.{1,2}(?:;|$)/.test(text);
  });
}

/** Decodes a segment until nothing changes; `undefined` if it is no valid text. */
function decodeFully(segment: string): string | undefined {
  for (let text = segment;;) {
    // A percent sign that stands for itself, after at least one decoding, is valid.
    if (text !== segment && !/%[\da-f]{2}/i.test(text)) return text;
    try {
      const decoded = decodeURIComponent(text);
      if (decoded === text) return text;
      text = decoded;
    } catch {
      return undefined;
    }
  }
}

/** @throws {HttpError} `unavailable` if the answer breaks off, or is too large to be shown. */
async function readBounded(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new HttpError("unavailable", "The answer of the interface broke off. Try again", {
      cause,
    });
  }
  if (size <= MAX_ANSWER_BYTES) return Buffer.concat(chunks);
  throw new HttpError("unavailable", "The answer is too large to be shown here");
}
