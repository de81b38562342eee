import type { PosthasteError } from "./error.ts";

/** A longer pause is the caller's decision: the error is thrown instead. */
export const MAX_PAUSE_MS = 30_000;

const FIRST_PAUSE_MS = 250;
const STATUSES: ReadonlySet<number> = new Set([0, 429, 503]);
/** What a gateway answers with when the service does not. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 504]);

/** Returns whether the same request may succeed a moment later. */
export function isTransient({ status, code }: PosthasteError): boolean {
  return STATUSES.has(status) || (GATEWAY_STATUSES.has(status) && code === "unreadable_answer");
}

/** What the pause before a try follows from. */
export interface PauseOptions {
  /** Value of `Retry-After`: seconds, or a date. */
  retryAfter: string | null;
  /** Now, in milliseconds. */
  now: number;
  /** Between 0 and 1. */
  random: number;
}

/**
 * Returns the pause after so many tries, in milliseconds: what the service asks for, else 250 ms,
 * doubled each time. Jitter spreads those who failed together: half of the pause is random, and a
 * pause that the service asks for gets up to 250 ms more. `undefined`: too long to wait.
 */
export function pauseMs(tries: number, options: PauseOptions): number | undefined {
  const { retryAfter, now, random } = options;
  const asked = askedMs(retryAfter, now);
  const growing = FIRST_PAUSE_MS * 2 ** (tries - 1);
  const pause = asked === undefined
    ? growing * (0.5 + random / 2)
    : asked + random * FIRST_PAUSE_MS;
  return pause > MAX_PAUSE_MS ? undefined : pause;
}

function askedMs(retryAfter: string | null, now: number): number | undefined {
  if (retryAfter === null || retryAfter.trim() === "") return undefined;
  const seconds = Number(retryAfter);
  const ms = Number.isNaN(seconds) ? Date.parse(retryAfter) - now : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/**
 * Resolves after a time.
 *
 * @throws The reason of `signal`, as soon as it is aborted.
 */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    function stop() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener("abort", stop, { once: true });
  });
}
