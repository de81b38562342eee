import { PosthasteError } from "./error.ts";
import { readAnswer } from "./read_answer.ts";
import { isTransient, pause, pauseMs } from "./retry.ts";

/** How requests are made. */
export interface ConnectionOptions {
  /** Where the service is: `https://mail.example.com`, with or without `/v1` at the end. */
  url: string;
  /** The access token. */
  token: string;
  /** How long one try may take, in milliseconds. @default {30_000} */
  timeoutMs?: number;
  /** How often a request is tried on 429, 503 and network faults. @default {3} */
  tries?: number;
  /** What makes requests. @default {globalThis.fetch} */
  fetch?: typeof fetch;
}

/** One request to the interface. */
export interface Outgoing {
  method: string;
  /** From `/v1` on. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Whether the answer is a file and not JSON. */
  bytes: boolean;
  /** Ends the request, all its tries and pauses. */
  signal: AbortSignal | undefined;
}

/**
 * Makes a function that makes requests. A request is tried again as it is: what must not happen twice
 * needs an `Idempotency-Key`.
 *
 * @throws {TypeError} The URL or the token cannot be used.
 */
export function openConnection(options: ConnectionOptions): (to: Outgoing) => Promise<unknown> {
  const { token, timeoutMs = 30_000, tries = 3 } = options;
  const base = readBase(options.url);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError("Cannot use the access token: it is empty or has blanks or line breaks");
  }
  const call = options.fetch ?? fetch;

  async function tryOnce(outgoing: Outgoing): Promise<Outcome> {
    const { method, path, headers, body, signal } = outgoing;
    const timeout = AbortSignal.timeout(timeoutMs);
    let retryAfter: string | null = null;
    try {
      const response = await call(base + path, {
        method,
        headers: { ...headers, authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body }),
        // The token goes to no other server.
        redirect: "manual",
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      retryAfter = response.headers.get("retry-after");
      return { value: await readAnswer(response, outgoing) };
    } catch (cause) {
      signal?.throwIfAborted();
      return { error: toError(cause, { timeout, timeoutMs, base }), retryAfter };
    }
  }

  return async (outgoing) => {
    for (let tried = 1;; tried++) {
      const outcome = await tryOnce(outgoing);
      if (outcome.error === undefined) return outcome.value;
      const { error, retryAfter } = outcome;
      const ms = pauseMs(tried, { retryAfter, now: Date.now(), random: Math.random() });
      if (tried >= tries || ms === undefined || !isTransient(error)) throw error;
      await pause(ms, outgoing.signal);
    }
  };
}

type Outcome =
  | { value: unknown; error?: undefined }
  | { error: PosthasteError; retryAfter: string | null };

function toError(
  cause: unknown,
  { timeout, timeoutMs, base }: { timeout: AbortSignal; timeoutMs: number; base: string },
): PosthasteError {
  if (cause instanceof PosthasteError) return cause;
  return timeout.aborted
    ? new PosthasteError(`Cannot reach "${base}": no answer within ${timeoutMs} ms`, {
      ...{ status: 0, code: "timeout", cause },
    })
    : new PosthasteError(`Cannot reach "${base}": ${reasonOf(cause)}`, {
      ...{ status: 0, code: "network", cause },
    });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node says "fetch failed", and why in the cause.
  return error.cause instanceof Error && error.cause.message !== ""
    ? error.cause.message
    : error.message;
}

function readBase(url: string): string {
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/.test(url)) {
    throw new TypeError(
      `Cannot use the URL "${url}": it must be http:// or https://, a host and a path`,
    );
  }
  return url.replace(/\/+$/, "").replace(/\/v1$/, "");
}
