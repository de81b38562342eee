import type { Issue } from "@posthaste/contracts";

/** When a send starts: `null` for now. */
export type SendAt = { at: Date | null } | { fault: Issue };

/** The current time, and how far ahead a send may be scheduled. */
export interface ScheduleLimits {
  now: Date;
  /** Largest distance, in milliseconds. */
  maxScheduleMs: number;
}

/** A time up to this old means now: a late repetition must not be lost. */
const LATE_MS = 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/**
 * Decides when a send starts.
 *
 * @param text ISO 8601 with an offset, as its schema requires.
 */
export function readSendAt(text: string, { now, maxScheduleMs }: ScheduleLimits): SendAt {
  const at = new Date(text);
  const aheadMs = at.getTime() - now.getTime();
  if (aheadMs < -LATE_MS) return refused("must not be more than 24 hours ago");
  if (aheadMs <= 0) return { at: null };
  if (aheadMs > maxScheduleMs) {
    return refused(`must not be more than ${Math.floor(maxScheduleMs / DAY_MS)} days ahead`);
  }
  return { at };
}

function refused(message: string): SendAt {
  return { fault: { path: "sendAt", code: "out_of_range", message } };
}
