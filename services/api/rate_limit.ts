import { HttpError } from "./http_error.ts";
import type { onRequestHookHandler } from "fastify";
import { LRUCache } from "lru-cache";

/** How often one token may ask. */
export interface RateLimitOptions {
  /** Requests within a window. */
  max: number;
  /** In milliseconds. */
  windowMs: number;
  /** Milliseconds that never go back: a token must not wait for the wall clock. @default {performance} */
  clock?: { now(): number };
}

interface Window {
  endsAt: number;
  count: number;
}

const COUNTED_TOKENS = 10_000;

/**
 * Makes the hook that counts the requests of each token, in this process, and refuses those beyond
 * the limit. What is left is told as `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-11), and under the three names of its older versions.
 */
export function limitRate(options: RateLimitOptions): onRequestHookHandler {
  const { max, windowMs, clock = performance } = options;
  const windows = new LRUCache<string, Window>({ max: COUNTED_TOKENS });
  // The draft has whole seconds, and lets the window be left out.
  const policy = `"token";q=${max}${windowMs % 1000 === 0 ? `;w=${windowMs / 1000}` : ""}`;
  return ({ caller }, reply, done) => {
    const now = clock.now();
    let window = windows.get(caller._id);
    if (window === undefined || window.endsAt <= now) {
      window = { endsAt: now + windowMs, count: 0 };
      windows.set(caller._id, window);
    }
    window.count++;
    const left = Math.max(0, max - window.count);
    const seconds = Math.ceil((window.endsAt - now) / 1000);
    reply.headers({
      "ratelimit-policy": policy,
      ratelimit: `"token";r=${left};t=${seconds}`,
      "ratelimit-limit": max,
      "ratelimit-remaining": left,
      "ratelimit-reset": seconds,
    });
    done(window.count > max ? tooMany(options, seconds) : undefined);
  };
}

function tooMany({ max, windowMs }: RateLimitOptions, retryAfter: number): HttpError {
  return new HttpError(
    "too_many_requests",
    `Cannot take the request: the token has used up its ${max} requests per ${windowMs} ms`,
    { retryAfter },
  );
}
