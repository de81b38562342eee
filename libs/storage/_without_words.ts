import type { SmtpReply, TimelineEntry } from "@posthaste/contracts";

const FORGOTTEN = "Forgotten on request";

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
    timeline: timeline.map(({ detail: _detail, ...entry }) => entry),
  };
}
