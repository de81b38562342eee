import { messageIdOf } from "@posthaste/contracts";
import type { MessageStatusEvent } from "@posthaste/messaging";
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

/** Returns what to report of an outcome: nothing of a cancellation, as no attempt to send the message exists. */
export function statusEventsOf(
  { _id: sendId, accountId, integrationId: own }: Pick<
    SendHead,
    "_id" | "accountId" | "integrationId"
  >,
  { index, n, outcome, fallback }: WrittenOutcome,
): MessageStatusEvent[] {
  const { at, reason = "", reply = {}, lines } = outcome;
  const last = lines.at(-1);
  // A register that holds its outcome has the integration in the outcome's lines.
  const integrationId = fallback ?? last?.integrationId ?? own;
  const about = { messageId: messageIdOf(sendId, index), sendId, accountId, index };
  const data = { ...about, attempt: n, integrationId, at: at.toISOString(), reason };
  switch (outcome.state) {
    case "sent":
      return [{ type: "status.message.sent", data: { ...data, reply } }];
    case "deferred":
      return [{ type: "status.message.deferred", data }];
    case "unknown":
      return [{ type: "status.message.unknown", data }];
    case "suppressed":
      return [{ type: "status.message.suppressed", data }];
    case "failed":
      return [failureOf(data, { isBeforeAttempt: last !== undefined && last.attempt < n })];
    case "canceled":
      return [];
  }
}

/** Returns a failure. One outside of an attempt has no integration, and the number of the attempts before it. */
function failureOf(
  { integrationId, attempt, ...data }: {
    messageId: string;
    sendId: string;
    accountId: string;
    index: number;
    attempt: number;
    integrationId: number;
    at: string;
    reason: string;
  },
  { isBeforeAttempt }: { isBeforeAttempt: boolean },
): MessageStatusEvent {
  return {
    type: "status.message.failed",
    data: isBeforeAttempt
      ? { ...data, attempt: attempt - 1, stage: "pipeline" }
      : { ...data, attempt, integrationId, stage: "mailer" },
  };
}
