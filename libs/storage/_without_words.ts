import type { SmtpReply, TimelineEntry } from "@posthaste/contracts";

const FORGOTTEN = "Forgotten on request";

/** What stays of a line of the timeline. */
const STAYS: Readonly<Record<keyof TimelineEntry, boolean>> = {
  ...{ at: true, type: true, attempt: true, durationMs: true, warning: true, ambiguous: true },
  integrationId: true,
  detail: false,
};

/**
 * Returns what stays of an outcome once its recipient is forgotten: states, times and codes. The words of servers may
 * name the address.
 */
export function withoutWords(
  { reason, reply, timeline }: {
    reason?: string | null;
    reply?: SmtpReply | null;
    timeline: readonly TimelineEntry[];
  },
) {
  const { response: _words, ...codes } = reply ?? {};
  return {
    reason: reason ? FORGOTTEN : null,
    reply: reply ? codes : null,
    timeline: timeline.map(partThatStays),
  };
}

function partThatStays(entry: TimelineEntry): TimelineEntry {
  const fields = Object.entries(entry) as [keyof TimelineEntry, unknown][];
  return Object.fromEntries(fields.filter(([name]) => STAYS[name])) as TimelineEntry;
}
