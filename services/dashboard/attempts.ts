import { hash } from "node:crypto";
import type { Store } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";

/** How many failed attempts are allowed. */
export interface AttemptRule {
  /** Failures without a wait. */
  free: number;
  /** Wait after the next failure, in milliseconds; it doubles with each further one. */
  waitMs: number;
}

/** The keys under which an attempt is counted, with their rules. */
export type AttemptKeys = Readonly<Record<string, AttemptRule>>;

/** Counts failed attempts, over all processes. */
export interface Attempts {
  /**
   * Counts an attempt as failed beforehand, so that none of many concurrent ones slips through.
   *
   * @throws {HttpError} `too_many_requests` if the caller must wait.
   */
  begin(keys: AttemptKeys): Promise<void>;
  /** Withdraws a counted failure; `forget` clears all failures under these keys. */
  succeed(keys: AttemptKeys, options?: { forget?: readonly string[] }): Promise<void>;
}

/** For one person from one network: five mistyped passwords are free. */
export const PER_PERSON: AttemptRule = { free: 5, waitMs: 60_000 };

/** For one person from anywhere. More are free, so that strangers cannot lock a person out with few. */
export const PER_PERSON_ANYWHERE: AttemptRule = { free: 50, waitMs: 10_000 };

/** For one network, which a whole office may share. */
export const PER_ADDRESS: AttemptRule = { free: 30, waitMs: 60_000 };

const LONGEST_WAIT_MS = 15 * 60_000;
const KEPT_MS = 30 * 60_000;

/** Opens the count. */
export function openAttempts(deps: Pick<Store, "signInAttempts"> & { now(): Date }): Attempts {
  const {
    signInAttempts: {
      findWaits,
      count: countAttempt,
      uncount: uncountAttempt,
      forget: forgetAttempts,
    },
    now,
  } = deps;
  return {
    async begin(keys) {
      const at = now();
      // An attempt that is refused under one key is counted under none.
      const waits = await findWaits(Object.keys(keys).map(idOf), at);
      refuse(waits, at);
      for (const [key, rule] of Object.entries(keys)) {
        const limits = { ...rule, longestWaitMs: LONGEST_WAIT_MS, keptMs: KEPT_MS };
        const { isRefused, waitUntil } = await countAttempt(idOf(key), limits, at);
        // Other attempts have begun meanwhile.
        if (isRefused) refuse([waitUntil], at);
      }
    },
    async succeed(keys, { forget = [] } = {}) {
      for (const key of Object.keys(keys)) {
        await (forget.includes(key) ? forgetAttempts(idOf(key)) : uncountAttempt(idOf(key)));
      }
    },
  };
}

/**
 * Returns a hash: keys contain addresses of people and networks, which must not be readable in the
 * database.
 */
function idOf(key: string): string {
  return hash("sha256", key, "hex");
}

/**
 * Refuses an attempt if any wait is left.
 *
 * @throws {HttpError} `too_many_requests` if there is a wait
 */
function refuse(waits: readonly Date[], at: Date): void {
  if (waits.length === 0) return;
  throw tooMany(Math.max(...waits.map((until) => until.getTime() - at.getTime())));
}

function tooMany(waitMs: number): HttpError {
  const retryAfter = Math.ceil(waitMs / 1000);
  const wait = retryAfter < 90 ? `${retryAfter} seconds` : `${Math.ceil(retryAfter / 60)} minutes`;
  return new HttpError("too_many_requests", `Too many tries. Retry in ${wait}`, {
    retryAfter,
  });
}
