import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { LRUCache } from "lru-cache";
import { HttpError } from "./http_error.ts";

/** How many requests one caller may make. */
export interface RateLimitOptions {
  /** Name of the policy in the answer's headers. @default {"token"} */
  name?: keyof typeof KINDS;
  /** Requests within a window. */
  max: number;
  /** Length of the window, in milliseconds. */
  windowMs: number;
  /**
   * A monotonic clock in milliseconds: a change of the wall clock must not make a caller wait.
   * @default {performance}
   */
  clock?: { now(): number } | undefined;
  /** Returns the id of the caller; `undefined` for a request that does not count. */
  callerOf(request: FastifyRequest): string | undefined;
}

interface Window {
  endsAt: number;
  count: number;
}

const COUNTED_CALLERS = 10_000;

/** What each policy counts. */
const KINDS = { token: "requests", search: "searches", heavy: "expensive requests" };

/**
 * Creates the hook that counts the requests of each caller in this process, and refuses those beyond
 * the limit. It reports what is left as `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-11), and under the three names of the draft's older
 * versions. If several policies count a request, each has an item in the headers; the older names
 * report the first.
 */
export function limitRate(options: RateLimitOptions): onRequestHookHandler {
  const { name = "token", max, windowMs, clock = performance, callerOf } = options;
  const windows = new LRUCache<string, Window>({
    // With `max`, it would take the memory of all of them now.
    ...{ maxSize: COUNTED_CALLERS, sizeCalculation: () => 1 },
  });
  // The draft uses whole seconds, and the window is optional.
  const policy = `"${name}";q=${max}${windowMs % 1000 === 0 ? `;w=${windowMs / 1000}` : ""}`;
  return (request, reply, done) => {
    const caller = callerOf(request);
    if (caller === undefined) return done();
    const now = clock.now();
    let window = windows.get(caller);
    if (window === undefined || window.endsAt <= now) {
      window = { endsAt: now + windowMs, count: 0 };
      windows.set(caller, window);
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

function tooMany(
  { name = "token", max, windowMs }: RateLimitOptions,
  retryAfter: number,
): HttpError {
  return new HttpError(
    "too_many_requests",
    `Too many ${
      KINDS[name]
    } with this token (limit: ${max} in ${windowMs} ms). Retry in ${retryAfter} s`,
    { retryAfter },
  );
}
