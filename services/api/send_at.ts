import type { Issue } from "@posthaste/contracts";

/** When a send shall start: `null` for now. */
export type SendAt = { at: Date | null } | { fault: Issue };

/** When it is and how far ahead a send may be scheduled. */
export interface ScheduleLimits {
  now: Date;
  /** In milliseconds. */
  maxScheduleMs: number;
}

/** A repetition that comes late must not be lost: so old a time means now. */
const LATE_MS = 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/**
 * Decides when a send starts.
 *
 * @param text ISO 8601 with an offset, as its schema holds it to.
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
