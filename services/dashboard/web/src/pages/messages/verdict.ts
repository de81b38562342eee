import type { MessageRow } from "../../../../interface/messages.ts";
import { formatPlace } from "./format_place.ts";
import { absoluteTime, relativeTime } from "../../parts/time.tsx";

/** The answer to "did it arrive, and why not": a headline and the server's reply. */
export interface Verdict {
  headline: string;
  /** A sentence. */
  why: string | null;
}

/** Returns the state of a message in words. */
export function verdictOf(row: MessageRow): Verdict {
  const { state, reason, reply, finishedAt, waiting } = row;
  if (waiting !== null) {
    return {
      headline: `Waits for its integration: ${formatPlace(waiting.ahead).toLowerCase()}`,
      why: waiting.reason,
    };
  }
  switch (state) {
    case "sent": {
      const when = finishedAt === null ? "" : ` on ${absoluteTime(new Date(finishedAt))}`;
      return {
        headline: "Accepted by the mail server",
        why: `The server accepted it${when}. Posthaste cannot see what happens after that.`,
      };
    }
    case "failed":
      return {
        headline: reply?.code === undefined
          ? "Not delivered"
          : `Not delivered: the server replied ${codeOf(row)}`,
        why: reason,
      };
    case "unknown":
      return {
        headline: "Unknown outcome: it may have arrived",
        why: `${reason ?? "The server did not confirm it"}. Sending it again may deliver it twice.`,
      };
    case "deferred":
      return { headline: `Not delivered yet: ${nextOf(row)}`, why: reason };
    case "canceled":
      return { headline: "Canceled before it was sent", why: null };
    case "suppressed":
      return {
        headline: "Not sent: the address is suppressed",
        why: null,
      };
    case "sending":
      return { headline: "Sending to the server", why: null };
    case "scheduled":
      return { headline: `Scheduled for ${startOf(row)}`, why: reason };
    case "queued":
      return { headline: "Accepted and queued", why: reason };
  }
}

function startOf({ nextAt }: MessageRow): string {
  return nextAt === null ? "later" : absoluteTime(new Date(nextAt));
}

function nextOf({ nextAt, isWaiting }: MessageRow): string {
  if (isWaiting || nextAt === null) return "waiting for its integration";
  const at = new Date(nextAt);
  return at.getTime() <= Date.now() ? "retrying now" : `next attempt ${relativeTime(at)}`;
}

/** Formats a reply's codes: `550 5.1.1`. */
export function codeOf({ reply }: Pick<MessageRow, "reply">): string {
  return [reply?.code, reply?.enhanced].filter((part) => part !== undefined).join(" ");
}
