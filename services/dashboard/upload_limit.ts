import { openTokenBuckets } from "@posthaste/limits";
import { formatBytes } from "@posthaste/runtime";
import { HttpError } from "./http_error.ts";

const DAY_MS = 24 * 3_600_000;

/**
 * Keeps an account from filling the database with files that replace each other: a replaced file stays stored as
 * long as sends do.
 */
export interface UploadLimit {
  /** Counts bytes that are to be stored. @throws {HttpError} `too_many_requests` */
  count(accountId: string, bytes: number): void;
}

/**
 * Opens the limit: twice what an account may keep, and as much again each day, in this process.
 *
 * @param options `maxBytes`: the most bytes of the files that an account keeps.
 */
export function openUploadLimit(
  { maxBytes, now }: { maxBytes: number; now(): Date },
): UploadLimit {
  const burst = 2 * maxBytes;
  const buckets = openTokenBuckets({ perMs: burst / DAY_MS, burst });
  return {
    count(accountId, bytes) {
      const retryAfter = Math.ceil(buckets.take(accountId, now().getTime(), bytes) / 1000);
      if (retryAfter === 0) return;
      throw new HttpError(
        "too_many_requests",
        `Too many new files (limit: ${formatBytes(burst)} a day). Retry in ${retryAfter} s`,
        { retryAfter },
      );
    },
  };
}
