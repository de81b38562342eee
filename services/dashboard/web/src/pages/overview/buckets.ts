import type { CountsView, OverviewRange } from "../../../../interface/overview.ts";

/** A bar of the chart: counts from its beginning to that of the next, in the reader's time zone. */
export interface Bar {
  label: string;
  accepted: number;
  sent: number;
  failed: number;
  deferred: number;
  unknown: number;
}

const HOURS = { "24h": 1, "7d": 6, "30d": 24 } as const;
const DAYS = { "24h": 1, "7d": 7, "30d": 30 } as const;

const HOUR = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const DAY_HOUR = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "numeric" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const FORMATS = { "24h": HOUR, "7d": DAY_HOUR, "30d": DAY };

/** Name of the reader's time zone, such as `Europe/Berlin`. */
export const TIME_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Sums counts to the bars of a range that ends at `at`, including empty ones. */
export function barsOf(counts: readonly CountsView[], range: OverviewRange, at: Date): Bar[] {
  const begins = beginsOf(range, at);
  const bars = begins.map((begin) => ({
    ...{ label: FORMATS[range].format(begin), accepted: 0, sent: 0 },
    ...{ failed: 0, deferred: 0, unknown: 0 },
  }));
  for (const { at: when, accepted, sent, failed, deferred, unknown } of counts) {
    const time = Date.parse(when);
    const bar = bars[begins.findLastIndex((begin) => begin.getTime() <= time)];
    if (bar === undefined) continue;
    bar.accepted += accepted;
    bar.sent += sent;
    bar.failed += failed;
    bar.deferred += deferred;
    bar.unknown += unknown;
  }
  return bars;
}

/** By the local clock: a day has 23 or 25 hours when summer time begins or ends. */
function beginsOf(range: OverviewRange, at: Date): Date[] {
  const hours = HOURS[range];
  const begins: Date[] = [];
  const begin = new Date(at);
  begin.setHours(Math.floor(at.getHours() / hours) * hours, 0, 0, 0);
  const count = DAYS[range] * 24 / hours;
  for (let index = count - 1; index >= 0; index--) {
    const each = new Date(begin);
    each.setHours(begin.getHours() - index * hours);
    begins.push(each);
  }
  return begins;
}
