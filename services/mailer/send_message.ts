import { hash } from "node:crypto";
import {
  type Integration,
  isNoMailbox,
  type SmtpReply,
  type Suppression,
} from "@posthaste/contracts";
import { attemptPolicy } from "@posthaste/delivery";
import { failpoint } from "@posthaste/runtime";
import { MasterKeyMissingError, suppressedFormOf, type SuppressionStore } from "@posthaste/storage";
import { addSpanAttributes, type Logger, recordSize, withSpan } from "@posthaste/telemetry";
import type { Permit } from "./admission.ts";
import { beginWork, fallbackOf, findEarlier, ownKeyOf } from "./begin_work.ts";
import type { CircuitStates } from "./circuit_states.ts";
import {
  composeMessage,
  type MessageContents,
  MissingContentError,
  type ReadyMessage,
} from "./compose_message.ts";
import type { ComposedMail } from "./compose_mime.ts";
import { type Copies, copiesFor } from "./copies.ts";
import { failUnsent, returnUntried, type UnsentDeps } from "./end_unsent.ts";
import { setbackOf, type Waits } from "./setback.ts";
import { drop, endAttempt, type Work } from "./end_attempt.ts";
import { MAX_SIGNATURE_BYTES, signMail } from "./sign_mail.ts";
import {
  isInterruption,
  isReached,
  isSilent,
  isUnoffered,
  isUnreachable,
  SmtpFailure,
} from "./smtp_failure.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";
import { judgeSmtpFailure, type SmtpVerdict } from "./smtp_verdict.ts";
import { type StopDeps, stopIntegration } from "./stop_integration.ts";
import type { TransportPool } from "./transport_pool.ts";
import { UntriedError } from "./untried_error.ts";

/** The dependencies of sending one message. */
export type MessageDeps = UnsentDeps & Waits & MessageContents & StopDeps & {
  suppressions: Pick<SuppressionStore, "noteRefused">;
  /** Opens the integration's secrets. */
  unseal(integration: Integration): SmtpIntegration;
  circuitStates: Pick<CircuitStates, "note" | "clear">;
  send: TransportPool["send"];
  logger: Pick<Logger, "warn" | "error">;
  /** Largest mail, in bytes. */
  mailLimit: number;
};

const SILENT = "The SMTP server accepts mail but does not reply";

/** How a message is sent. */
export interface Way {
  integration: Integration;
  /** The integration of the send: it decides how long and whether to retry. */
  own: Integration;
  permit: Permit;
  suppressed: Suppressed;
}

/** Entries of the suppression list that apply, by the address in lower case. */
export type Suppressed = ReadonlyMap<string, Suppression>;

/** Composes a mail, makes the attempt, and writes its outcome. */
export async function sendMessage(
  message: ReadyMessage,
  way: Way,
  deps: MessageDeps,
): Promise<"ended" | "content_missing"> {
  const { integration, own } = way;
  let mail: ComposedMail | string;
  try {
    const room = integration.dkim?.enabled ? MAX_SIGNATURE_BYTES : 0;
    mail = await composeMessage(message, deps, deps.mailLimit - room);
  } catch (error) {
    if (error instanceof MissingContentError) return "content_missing";
    throw error;
  }
  if (typeof mail === "string") return await failUnsent(message, deps, mail);
  failpoint("mailer.composed");
  const earlier = await findEarlier(message, deps);
  if (earlier === null) return await drop(message, deps);
  const work = beginWork(message, deps);
  const opened = unsealed(integration, deps);
  if ("kind" in opened) {
    const used = { integration, own, isUnoffered: true, isAway: false };
    return await setBack(work, { verdict: opened, used }, deps);
  }
  const raw = opened.dkim === undefined ? mail.raw : await signMail(mail.raw, opened.dkim);
  const mimeHash = hash("sha256", raw, "hex");
  // Another integration signs differently.
  const isComparable = earlier?.timeline.at(-1)?.integrationId === fallbackOf(message);
  if (isComparable && earlier?.mimeHash && earlier.mimeHash !== mimeHash) {
    deps.logger.warn("A mail differs from its earlier attempt", { messageId: message.messageId });
  }
  const { suppressed } = way;
  const copies = copiesFor(message, (email) => suppressed.has(suppressedFormOf(email)));
  const smtp = { ...way, mail: { ...mail, raw }, opened, copies };
  return await transact({ ...work, mimeHash }, smtp, deps);
}

/**
 * A secret that cannot be opened stops the integration, not the mail: a person can repair it. While keys are
 * being replaced, another process may have the master key that this one lacks.
 */
function unsealed(integration: Integration, deps: MessageDeps): SmtpIntegration | SmtpVerdict {
  try {
    return deps.unseal(integration);
  } catch (error) {
    deps.logger.error("Cannot open a secret of an integration", { error });
    const reason = "The password or the DKIM key of the SMTP integration could not be opened";
    return {
      kind: error instanceof MasterKeyMissingError ? "defer" : "suspend_integration",
      reason,
    };
  }
}

interface Smtp extends Way {
  mail: ComposedMail;
  opened: SmtpIntegration;
  copies: Copies;
}

async function transact(work: Work, smtp: Smtp, deps: MessageDeps): Promise<"ended"> {
  const { integration } = smtp;
  let reply: SmtpReply;
  try {
    reply = await withSpan("smtp.send", {
      kind: "client",
      attributes: { "server.address": integration.host, "server.port": integration.port },
    }, async () => {
      const reply = await handOver(work, smtp, deps);
      addSpanAttributes({ "smtp.response.status_code": reply.code });
      return reply;
    });
  } catch (error) {
    if (error instanceof UntriedError) {
      smtp.permit.giveBack();
      return await returnUntried(work.message, deps);
    }
    if (!(error instanceof SmtpFailure)) throw error;
    failpoint("mailer.before_setback");
    return await endFailed(work, { error, way: smtp }, deps);
  }
  // The server is free for the next mail, which need not wait for the ledger.
  smtp.permit.leave();
  failpoint("mailer.before_outcome");
  return await endSent(work, { reply, smtp }, deps);
}

async function endSent(
  work: Work,
  { reply, smtp: { integration, mail, copies } }: { reply: SmtpReply; smtp: Smtp },
  deps: MessageDeps,
): Promise<"ended"> {
  await deps.circuitStates.clear(integration._id);
  recordSize("posthaste.smtp.size", mail.raw.length);
  const copiesRefused = copies.refused();
  await endAttempt(work, deps, { state: "sent", reply, copiesRefused });
  failpoint("mailer.after_outcome");
  for (const { email, reply } of copiesRefused) {
    if (isNoMailbox(reply)) await noteRefused(work, { email, reply }, deps);
  }
  return "ended";
}

async function endFailed(
  work: Work,
  { error, way: { integration, own } }: { error: SmtpFailure; way: Way },
  deps: MessageDeps,
): Promise<"ended"> {
  const verdict = judgeSmtpFailure(error);
  if (isInterruption(error)) {
    // The server is not at fault: it needs no pause.
    const { reason } = verdict;
    return await endAttempt(work, deps, { state: "deferred", reason, nextAt: deps.now() });
  }
  let isAway = false;
  if (isUnreachable(error) || isSilent(error)) {
    const reason = isSilent(error) ? SILENT : verdict.reason;
    isAway = await deps.circuitStates.note(integration._id, { reason, error });
  } else if (isReached(error)) await deps.circuitStates.clear(integration._id);
  const used = { integration, own, isUnoffered: isUnoffered(error), isAway };
  const ended = await setBack(work, { verdict, used }, deps);
  if (error.phase === "rcpt" && isNoMailbox(verdict)) {
    await noteRefused(work, { email: work.message.to.email, reply: verdict }, deps);
  }
  return ended;
}

function handOver(
  { attempt }: Work,
  { mail, opened, permit, copies }: Smtp,
  deps: MessageDeps,
): Promise<SmtpReply> {
  return deps.send({
    integration: opened,
    connections: permit.connections,
    envelope: {
      ...mail.envelope,
      ...(copies.addresses.length === 0 ? {} : { copies: copies.addresses }),
    },
    goesWithout: (address, reply) => copies.goesWithout(address, reply),
    raw: mail.raw,
    // The register is taken while the body goes out.
    onData: () => attempt.take(),
    onDot: () => attempt.confirm(),
  });
}

/** The integration that made an attempt that failed. */
interface Used extends Pick<Way, "integration" | "own"> {
  /** Whether its server was certainly not offered the mail. */
  isUnoffered: boolean;
  /** Whether its circuit is open now. */
  isAway: boolean;
}

async function setBack(
  work: Work,
  { verdict, used: { integration, own, isUnoffered, isAway } }: {
    verdict: SmtpVerdict;
    used: Used;
  },
  deps: MessageDeps,
): Promise<"ended"> {
  const now = deps.now();
  const { retryMs, replyMs } = deps;
  const stopReason = await stopIntegration(verdict, { integration, now }, deps);
  const policy = attemptPolicy(own, { isFallback: fallbackOf(work.message) !== undefined });
  const setback = setbackOf(verdict, policy, {
    attempt: work.message.attempt + 1,
    acceptedAt: new Date(work.message.acceptedAt),
    isStopped: isAway || stopReason !== undefined,
    ...{ now, retryMs, replyMs },
  });
  if (setback.state !== "deferred") return await endAttempt(work, deps, setback);
  const unreached = isUnoffered ? { unreached: integration.id } : {};
  if (stopReason === undefined) return await endAttempt(work, deps, { ...setback, ...unreached });
  const { state, reply } = setback;
  const reported = reply === undefined ? { reason: stopReason } : { reason: stopReason, reply };
  return await endAttempt(work, deps, {
    ...{ state, ...reported, ...unreached, waitsFor: ownKeyOf(work.message) },
  });
}

/** Puts an address on the suppression list. An entry that is lost here is added by the next refusal. */
async function noteRefused(
  { message: { accountId, messageId } }: Work,
  { email, reply: { code, enhanced } }: { email: string; reply: SmtpReply },
  { suppressions, logger, now }: MessageDeps,
): Promise<void> {
  const reply = {
    ...(code === undefined ? {} : { code }),
    ...(enhanced === undefined ? {} : { enhanced }),
  };
  const refused = { email, reason: "hard_refusal" as const, reply, messageId, at: now() };
  try {
    await suppressions.noteRefused(accountId, refused);
  } catch (error) {
    logger.warn("Cannot put a refused address on the suppression list", { messageId, error });
  }
}
