import { createHash } from "node:crypto";
import type { Store } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";

/** How often something may be tried in vain. */
export interface AttemptRule {
  /** Failures that cost nothing. */
  free: number;
  /** Wait after the next one, in milliseconds; it doubles with each more. */
  waitMs: number;
}

/** Who tries, under each of the names that are counted. */
export type AttemptKeys = Readonly<Record<string, AttemptRule>>;

/** Counts what is tried in vain, over all processes. */
export interface Attempts {
  /**
   * Counts an attempt as failed: of many at once none slips through.
   * @throws {HttpError} `too_many_requests` if one must wait.
   */
  begin(keys: AttemptKeys): Promise<void>;
  /** Takes back that an attempt failed; with `forget`, all failures under the keys. */
  succeed(keys: AttemptKeys, options?: { forget?: readonly string[] }): Promise<void>;
}

/** Of one person from one network: anyone who mistypes has five tries. */
export const PER_PERSON: AttemptRule = { free: 5, waitMs: 60_000 };

/** Of one person from anywhere. More are free: strangers must not keep somebody out with few. */
export const PER_PERSON_ANYWHERE: AttemptRule = { free: 50, waitMs: 10_000 };

/** Of one network, from which a whole office may come. */
export const PER_ADDRESS: AttemptRule = { free: 30, waitMs: 60_000 };

const LONGEST_WAIT_MS = 15 * 60_000;
const KEPT_MS = 30 * 60_000;

/** Opens the count. */
export function openAttempts(deps: Pick<Store, "attempts"> & { now(): Date }): Attempts {
  const {
    attempts: { findWaits, count: countAttempt, uncount: uncountAttempt, forget: forgetAttempts },
    now,
  } = deps;
  return {
    async begin(keys) {
      const at = now();
      // What is over under one name is counted under none.
      const waits = await findWaits(Object.keys(keys).map(idOf), at);
      refuse(waits, at);
      for (const [key, rule] of Object.entries(keys)) {
        const limits = { ...rule, longestWaitMs: LONGEST_WAIT_MS, keptMs: KEPT_MS };
        const { isRefused, waitUntil } = await countAttempt(idOf(key), limits, at);
        // Others have begun meanwhile.
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

/** Names hold addresses of people, and of networks: neither is to be read in the database. */
function idOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** @throws {HttpError} `too_many_requests` if there is anything to wait for */
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
