import { setTimeout as delay } from "node:timers/promises";
import type { SmtpReply } from "@posthaste/contracts";
import { dispatchesAgain, type Outgoing, type Verdict } from "@posthaste/messaging";
import { crashPoint } from "@posthaste/runtime";
import type { MessageOutcomes, SendStore } from "@posthaste/storage";
import { count, errorType, type Logger, recordDuration } from "@posthaste/telemetry";
import type { ReadyMessage } from "./compose_message.ts";
import type { Setback } from "./outcome.ts";

/** What settling needs from the outside. */
export interface SettleDeps extends MessageOutcomes, Pick<SendStore, "hastenSweep"> {
  now(): Date;
  /** What metrics call an integration. */
  integrationLabel?(message: Pick<ReadyMessage, "accountId" | "integrationId">): string | undefined;
  logger: Pick<Logger, "warn" | "error">;
}

/** A message that this worker has claimed. */
export interface Work {
  message: ReadyMessage;
  /** Number of this attempt, from 1. */
  attempt: number;
  claimedAt: Date;
  /** SHA-256 of the mail, in hex, if one was made. */
  mimeHash?: string;
}

/** What came of an attempt. */
export type Result = Setback | { state: "sent"; reply: SmtpReply };

/** Writes the outcome, however long the database takes, and tells it if it holds. */
export async function settle(work: Work, deps: SettleDeps, result: Result): Promise<Verdict> {
  const { message, attempt, claimedAt, mimeHash } = work;
  const at = deps.now();
  const durationMs = at.getTime() - claimedAt.getTime();
  const outcome = {
    messageId: message.messageId,
    attempt,
    at,
    durationMs,
    ...(mimeHash === undefined ? {} : { mimeHash }),
  };
  const held = await untilWritten(deps, () => {
    switch (result.state) {
      case "sent":
        return deps.markSent({ ...outcome, reply: result.reply });
      case "failed":
        return deps.markFailed({ ...outcome, ...result });
      case "unknown":
        return deps.markUnknown({ ...outcome, ...result });
      case "deferred":
        return deps.markDeferred({ ...outcome, ...result });
    }
  });
  if (!held) {
    deps.logger.error("A mail's claim was lost before its outcome", { ...outcome });
    return { type: "done", publish: [] };
  }
  if (result.state === "deferred") crashPoint("mailer.after_deferral");
  if ("nextAt" in result) await deps.hastenSweep(message.sendId, result.nextAt);
  count("posthaste.smtp.outcomes", 1, {
    "posthaste.outcome": result.state,
    "smtp.response.status_class": statusClass(result),
    "posthaste.integration": deps.integrationLabel?.(message),
  });
  const waited = (at.getTime() - Date.parse(message.acceptedAt)) / 1000;
  recordDuration("posthaste.message.duration", waited, { "posthaste.state": result.state });
  const fact = { ...factOf(message, attempt, at), durationMs };
  const again = "nextAt" in result
    ? dispatchesAgain({ ...message, _id: message.sendId }, [{ index: message.index, attempt }], {
      notBefore: result.nextAt,
    })
    : [];
  return { type: "done", publish: [toldAs(result, fact), ...again] };
}

/** `none` where the server said nothing: no connection, or the mail was not begun. */
function statusClass(result: Result): string {
  const code = "reply" in result ? result.reply?.code : undefined;
  return code === undefined ? "none" : `${Math.floor(code / 100)}xx`;
}

function toldAs(result: Result, fact: ReturnType<typeof factOf>): Outgoing {
  switch (result.state) {
    case "sent":
      return { type: "fact.message.sent", data: { ...fact, reply: result.reply } };
    case "unknown":
      return { type: "fact.message.unknown", data: { ...fact, reason: result.reason } };
    case "failed":
      return {
        type: "fact.message.failed",
        data: { ...fact, stage: "mailer", reason: result.reason, ...withReply(result.reply) },
      };
    case "deferred":
      return {
        type: "fact.message.deferred",
        data: {
          ...fact,
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

const WRITE_RETRY_MS = 1000;

/** What is no outage, as far as is known, is tried so often: an outcome that is lost costs a twin. */
const MOST_TRIES = 20;

/** What the server said must not be forgotten: an outage of the database is waited out. */
async function untilWritten(deps: SettleDeps, write: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 1;; tries++) {
    try {
      return await write();
    } catch (error) {
      const type = errorType(error);
      const isOutage = type === "unavailable" || type === "timeout";
      if (!isOutage && tries >= MOST_TRIES) throw error;
      deps.logger.warn("Cannot write the outcome of a mail, trying again", { error });
      await delay(WRITE_RETRY_MS);
    }
  }
}

/** Says which message a fact is about. */
export function factOf(
  message: Pick<ReadyMessage, "messageId" | "sendId" | "accountId" | "index">,
  attempt: number,
  now: Date,
) {
  const { messageId, sendId, accountId, index } = message;
  return { v: 1 as const, messageId, sendId, accountId, index, attempt, at: now.toISOString() };
}
