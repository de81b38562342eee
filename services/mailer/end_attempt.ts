import type { CopyRefused, MessageWarning, SmtpReply, TimelineEntry } from "@posthaste/contracts";
import type { Certainty } from "@posthaste/delivery";
import { type MessageStatusEvent, statusFieldsOf } from "@posthaste/messaging";
import { failpoint } from "@posthaste/runtime";
import type { AttemptOutcome } from "@posthaste/storage";
import { count, type Logger, recordDuration } from "@posthaste/telemetry";
import type { Attempt } from "./attempt.ts";
import type { ReadyMessage } from "./compose_message.ts";
import type { Setback } from "./setback.ts";

/** The dependencies of ending an attempt. */
export interface EndDeps {
  now(): Date;
  /** Returns the metric label of an integration. */
  integrationLabel?(message: Pick<ReadyMessage, "accountId" | "integrationId">): string | undefined;
  /** Publishes the outcome of a message as a status event. */
  report(statusEvent: MessageStatusEvent): Promise<void>;
  logger: Pick<Logger, "info" | "warn" | "error">;
}

/** A message that this worker tries to send. */
export interface Work {
  message: ReadyMessage;
  attempt: Attempt;
  begunAt: Date;
  /** SHA-256 of the mail, in hex, if one was made. */
  mimeHash?: string;
}

/** Outcome of an attempt. */
export type AttemptResult =
  | Setback
  | { state: "suppressed"; reason: string }
  | { state: "sent"; reply: SmtpReply; copiesRefused?: readonly CopyRefused[] };

/** Writes the outcome, however long the database takes, and reports it if the ledger accepted it. */
export async function endAttempt(
  { message, attempt, begunAt, mimeHash }: Work,
  deps: EndDeps,
  result: AttemptResult,
): Promise<"ended"> {
  // The clock steps back when it is set: an attempt does not end before its start.
  const at = new Date(Math.max(deps.now().getTime(), begunAt.getTime()));
  const durationMs = at.getTime() - begunAt.getTime();
  const n = message.attempt + 1;
  const isUnknown = "isUnknown" in result && result.isUnknown === true;
  const outcome: AttemptOutcome = {
    state: result.state,
    at,
    ...(isUnknown ? { unknownAttempt: n } : {}),
    ...("reason" in result ? { reason: result.reason } : {}),
    ...("reply" in result && result.reply ? { reply: result.reply } : {}),
    ...("nextAt" in result ? { nextAt: result.nextAt } : {}),
    ...("waitsFor" in result ? { waitsFor: result.waitsFor } : {}),
    ...("unreached" in result && result.unreached ? { unreached: result.unreached } : {}),
    ...(mimeHash === undefined ? {} : { mimeHash }),
    ...("copiesRefused" in result && result.copiesRefused?.length
      ? { copiesRefused: [...result.copiesRefused] }
      : {}),
    lines: [
      ...linesBefore(message, begunAt, result),
      { ...lineOf(result, { at, attempt: n, durationMs }), ...usedOf(message) },
    ],
  };
  const certainty = certaintyOf(result);
  const isWritten = await attempt.end(outcome, certainty);
  if (!isWritten) {
    // Canceling ends the attempts of messages on their way. Only a mail that the server may have is worth a look.
    const level = certainty === "refused" ? "info" : "warn";
    deps.logger[level]("An attempt was ended elsewhere", {
      messageId: message.messageId,
      attempt: n,
    });
    return await drop(message, deps);
  }
  if (result.state === "deferred") failpoint("mailer.after_deferral");
  count("posthaste.smtp.outcomes", 1, {
    "posthaste.outcome": result.state,
    "smtp.response.status_class": statusClass(result),
    "posthaste.integration": deps.integrationLabel?.(message),
  });
  const waited = (at.getTime() - Date.parse(message.acceptedAt)) / 1000;
  recordDuration("posthaste.message.duration", waited, { "posthaste.state": result.state });
  const statusEvent = { ...mailerFieldsOf(message, n, at), durationMs };
  await deps.report(reportedEvent(result, statusEvent, warningsOf(message)));
  return "ended";
}

/** Reports that nothing is left to do for a message: its attempt has ended, or is another worker's. */
export async function drop(
  message: ReadyMessage,
  { report, now }: Pick<EndDeps, "report" | "now">,
): Promise<"ended"> {
  await report({
    type: "status.message.dropped",
    data: mailerFieldsOf(message, message.attempt, now()),
  });
  return "ended";
}

function certaintyOf(result: AttemptResult): Certainty {
  if (result.state === "sent") return "accepted";
  return "isUnknown" in result && result.isUnknown ? "unknown" : "refused";
}

/** Returns the timeline of this attempt before its outcome. A suppressed message was not begun. */
function linesBefore(
  message: ReadyMessage,
  begunAt: Date,
  { state }: AttemptResult,
): TimelineEntry[] {
  const { timeline = [], attempt } = message;
  return [
    ...timeline.map(({ at, ...line }) => ({ ...line, at: new Date(at), attempt })),
    ...(state === "suppressed"
      ? []
      : [{ at: begunAt, type: "sending" as const, attempt: attempt + 1, ...usedOf(message) }]),
  ];
}

/** Returns the codes of the warnings about a message. */
function warningsOf({ timeline = [] }: ReadyMessage): MessageWarning[] {
  return [...new Set(timeline.flatMap(({ warning }) => warning ?? []))];
}

/** Returns the integration of an attempt for its lines, if it is not the send's own. */
function usedOf({ integrationId, insteadOf }: ReadyMessage) {
  return insteadOf === undefined ? {} : { integrationId };
}

function lineOf(
  result: AttemptResult,
  { at, attempt, durationMs }: { at: Date; attempt: number; durationMs: number },
): TimelineEntry {
  const detail = "reason" in result ? result.reason : result.reply.response;
  return {
    ...{ at, type: result.state, attempt, durationMs },
    ...(detail === undefined ? {} : { detail }),
    ...("isUnknown" in result && result.isUnknown ? { ambiguous: true } : {}),
  };
}

/** Returns the class of the reply, or `none` without one: no connection, or the mail was not started. */
function statusClass(result: AttemptResult): string {
  const code = "reply" in result ? result.reply?.code : undefined;
  return code === undefined ? "none" : `${Math.floor(code / 100)}xx`;
}

function reportedEvent(
  result: AttemptResult,
  statusEvent: ReturnType<typeof mailerFieldsOf>,
  warnings: readonly MessageWarning[],
): MessageStatusEvent {
  switch (result.state) {
    case "sent":
      return {
        type: "status.message.sent",
        data: {
          ...{ ...statusEvent, reply: result.reply },
          ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
        },
      };
    case "suppressed":
      return { type: "status.message.suppressed", data: { ...statusEvent, reason: result.reason } };
    case "unknown":
      return { type: "status.message.unknown", data: { ...statusEvent, reason: result.reason } };
    case "failed":
      return {
        type: "status.message.failed",
        data: {
          ...statusEvent,
          stage: "mailer",
          reason: result.reason,
          ...withReply(result.reply),
        },
      };
    case "deferred":
      return {
        type: "status.message.deferred",
        data: {
          ...statusEvent,
          reason: result.reason,
          ...withReply(result.reply),
          ...("nextAt" in result ? { nextAt: result.nextAt.toISOString() } : {}),
        },
      };
  }
}

function withReply(reply: SmtpReply | undefined) {
  return reply === undefined ? {} : { reply };
}

/** Returns the fields that every status event of a mailer has: it knows the integration. */
export function mailerFieldsOf(
  message: Pick<ReadyMessage, "sendId" | "accountId" | "index" | "integrationId">,
  attempt: number,
  at: Date,
) {
  const { index, integrationId } = message;
  return { ...statusFieldsOf(message, { index, attempt }, at), integrationId };
}
