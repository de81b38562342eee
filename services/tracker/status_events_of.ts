import { type MessageStatusEvent, statusFieldsOf } from "@posthaste/messaging";
import type { AttemptOutcome, SendHead } from "@posthaste/storage";

/** An outcome that a tracker wrote, of one of a send's messages. */
export interface WrittenOutcome {
  /** Position of the message in the request's `to`. */
  index: number;
  /** Number of the attempt, from 1. */
  n: number;
  outcome: AttemptOutcome;
  /** The integration of the attempt, if not the send's own. */
  fallback?: number | undefined;
}

const OUTSIDE = { stage: "pipeline", integrationId: undefined } as const;

/** Returns what to report of an outcome: nothing of a cancellation, as no attempt to send the message exists. */
export function statusEventsOf(
  { _id: sendId, accountId, integrationId: own }: Pick<
    SendHead,
    "_id" | "accountId" | "integrationId"
  >,
  { index, n, outcome, fallback }: WrittenOutcome,
): MessageStatusEvent[] {
  const { at, reason = "", reply, nextAt, lines } = outcome;
  const last = lines.at(-1);
  // Of a mail that an earlier attempt sent after all, the number of that one.
  const attempt = last?.attempt ?? n;
  // A register that holds its outcome has the integration in the outcome's lines.
  const integrationId = fallback ?? last?.integrationId ?? own;
  const data = {
    ...{ ...statusFieldsOf({ sendId, accountId }, { index, attempt }, at), integrationId, reason },
    ...(reply === undefined ? {} : { reply }),
  };
  switch (outcome.state) {
    case "sent":
      return [{ type: "status.message.sent", data: { ...data, reply: reply ?? {} } }];
    case "deferred":
      return [{
        type: "status.message.deferred",
        data: { ...data, ...(nextAt ? { nextAt: nextAt.toISOString() } : {}) },
      }];
    case "unknown":
      return [{ type: "status.message.unknown", data }];
    case "suppressed":
      return [{ type: "status.message.suppressed", data }];
    case "failed":
      // One outside of an attempt has the number of the attempts before it.
      return [
        attempt < n
          ? { type: "status.message.failed", data: { ...data, ...OUTSIDE } }
          : { type: "status.message.failed", data: { ...data, stage: "mailer" } },
      ];
    case "canceled":
      return [];
  }
}
