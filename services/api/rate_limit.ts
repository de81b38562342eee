import { HttpError } from "./http_error.ts";
import type { FastifyReply, onRequestHookHandler } from "fastify";
import { LRUCache } from "lru-cache";

/** How often one token may ask. */
export interface RateLimitOptions {
  /** Of the policy, as answers have it. @default {"token"} */
  name?: "token" | "search" | "heavy";
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
 * (draft-ietf-httpapi-ratelimit-headers-11), and under the three names of its older versions. A request that
 * several policies count has an item of each; the older names tell of the first.
 */
export function limitRate(options: RateLimitOptions): onRequestHookHandler {
  const { name = "token", max, windowMs, clock = performance } = options;
  const windows = new LRUCache<string, Window>({ max: COUNTED_TOKENS });
  // The draft has whole seconds, and lets the window be left out.
  const policy = `"${name}";q=${max}${windowMs % 1000 === 0 ? `;w=${windowMs / 1000}` : ""}`;
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
    const isFirst = !reply.hasHeader("ratelimit");
    addItem(reply, "ratelimit-policy", policy);
    addItem(reply, "ratelimit", `"${name}";r=${left};t=${seconds}`);
    if (isFirst) {
      reply.headers({
        "ratelimit-limit": max,
        "ratelimit-remaining": left,
        "ratelimit-reset": seconds,
      });
    }
    done(window.count > max ? tooMany(options, seconds) : undefined);
  };
}

/** Adds to a header that is a list (RFC 9651, 3.1). */
function addItem(reply: FastifyReply, header: string, item: string): void {
  const items = reply.getHeader(header);
  reply.header(header, items === undefined ? item : `${items}, ${item}`);
}

const KINDS = { token: "requests", search: "searches", heavy: "requests for contents and PDFs" };

function tooMany(
  { name = "token", max, windowMs }: RateLimitOptions,
  retryAfter: number,
): HttpError {
  return new HttpError(
    "too_many_requests",
    `Cannot take the request: the token has used up its ${max} ${KINDS[name]} per ${windowMs} ms`,
    { retryAfter },
  );
}
