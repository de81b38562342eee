import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Content, EventData, Integration, SmtpReply } from "@posthaste/contracts";
import { dispatchesAgain, type Outgoing, type Step, type Verdict } from "@posthaste/messaging";
import type { MessageClaims, MessageOutcomes, SendStore } from "@posthaste/storage";
import {
  addSpanAttributes,
  count,
  errorType,
  type Logger,
  recordDuration,
  recordSize,
  withSpan,
} from "@posthaste/telemetry";
import type { LoadAttachment } from "./attachment_cache.ts";
import { type ComposedMail, composeMime, MailTooLargeError } from "./compose_mime.ts";
import { type Setback, setbackOf } from "./outcome.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";
import { judgeSmtpFailure, type SmtpVerdict } from "./smtp_verdict.ts";
import type { TransportPool } from "./transport_pool.ts";

/** What the step needs from the outside. */
export interface SendDeps
  extends MessageOutcomes, MessageClaims, Pick<SendStore, "hastenSweep" | "loadSend"> {
  findIntegration(accountId: string, id: number): Promise<Integration | null>;
  /** Opens the integration's password. */
  unseal(integration: Integration): SmtpIntegration;
  send: TransportPool["send"];
  loadAttachment: LoadAttachment;
  loadContent(key: string): Promise<string | undefined>;
  now(): Date;
  logger: Pick<Logger, "warn" | "error">;
  /** Longest time from a claim to the final dot, in milliseconds. */
  leaseMs: number;
  /** Largest mail, in bytes. */
  mailLimit: number;
}

type Ready = EventData<"message.printed">;

/** What a mail is made of could not be found: it has to be rendered again. */
class MissingContentError extends Error {
  override readonly name = "MissingContentError";
}

/**
 * Sends one message: claims it in the ledger, makes one SMTP transaction, writes the outcome. Only
 * the worker whose claim holds may write, and it sends nothing once its lease is over. A crash
 * between the server's reply and the ledger is the one gap that is left.
 */
export function sendStep(deps: SendDeps): Step<"message.rendered" | "message.printed"> {
  return {
    name: "mailer.send",
    handle: ({ type, data }, signal) => {
      const message = type === "message.printed" ? data : { ...data, attachments: [] };
      addSpanAttributes({
        "posthaste.message.id": message.messageId,
        "posthaste.attempt": message.attempt + 1,
      });
      return sendMessage(message, deps, signal);
    },
    giveUp: ({ data }, reason) => ({
      publish: [{
        type: "fact.message.failed",
        data: { ...factOf(data, data.attempt, deps.now()), stage: "pipeline", reason },
      }],
    }),
  };
}

async function sendMessage(message: Ready, deps: SendDeps, signal: AbortSignal): Promise<Verdict> {
  const integration = await deps.findIntegration(message.accountId, message.integrationId);
  let mail: ComposedMail | string;
  try {
    mail = await compose(message, deps);
  } catch (error) {
    if (error instanceof MissingContentError) return await renderAgain(message, deps);
    // Neither the size nor an address that cannot be written is better the next time.
    if (!(error instanceof MailTooLargeError || error instanceof RangeError)) throw error;
    mail = error.message;
  }
  const { messageId, sendId, accountId, index, attempt } = message;
  const claimedAt = deps.now();
  const claim = await deps.claimMessage({
    messageId,
    sendId,
    accountId,
    index,
    email: message.to.email,
    acceptedAt: new Date(message.acceptedAt),
    attempt,
    leaseMs: deps.leaseMs,
    now: claimedAt,
  });
  if (!claim.claimed) return { type: "done", publish: [] };
  const work = { message, attempt: claim.attempt, claimedAt };
  if (integration === null) {
    return await settle(work, deps, {
      state: "failed",
      reason: "The SMTP integration does not exist any more",
    });
  }
  if (typeof mail === "string") return await settle(work, deps, { state: "failed", reason: mail });
  if (claim.recovered && integration.whenUnknown === "hold") {
    const reason = "A worker was lost while it sent this mail: the server may have it";
    return await settle(work, deps, { state: "unknown", reason });
  }
  const mimeHash = createHash("sha256").update(mail.raw).digest("hex");
  if (claim.mimeHash !== null && claim.mimeHash !== mimeHash) {
    deps.logger.warn("A mail differs from its earlier attempt", { messageId });
  }
  const opened = unsealed(integration, deps);
  if (opened === undefined) {
    const reason = "The password of the SMTP integration could not be opened";
    return await setBack(work, deps, {
      verdict: { kind: "suspend_integration", reason },
      integration,
    });
  }
  return await transact({ ...work, mimeHash }, { mail, integration, opened }, { ...deps, signal });
}

/** A password that does not open stops the integration, not the mail: a person can repair it. */
function unsealed(integration: Integration, deps: SendDeps): SmtpIntegration | undefined {
  try {
    return deps.unseal(integration);
  } catch (error) {
    deps.logger.error("Cannot open the password of an integration", { error });
    return undefined;
  }
}

interface Work {
  message: Ready;
  /** Number of this attempt, from 1. */
  attempt: number;
  claimedAt: Date;
  mimeHash?: string;
}

async function transact(
  work: Work,
  { mail, integration, opened }: {
    mail: ComposedMail;
    integration: Integration;
    opened: SmtpIntegration;
  },
  deps: SendDeps & { signal: AbortSignal },
): Promise<Verdict> {
  const leaseUntil = work.claimedAt.getTime() + deps.leaseMs;
  try {
    const receipt = await withSpan("smtp.send", {
      kind: "client",
      attributes: { "server.address": integration.host, "server.port": integration.port },
    }, async () => {
      const receipt = await deps.send({
        integration: opened,
        envelope: mail.envelope,
        raw: mail.raw,
        onDot: () => {
          // A worker that was frozen past its lease must not end the mail: another may have sent it.
          return deps.now().getTime() < leaseUntil
            ? Promise.resolve()
            : Promise.reject(new Error("Cannot end the mail: its lease is over"));
        },
      });
      addSpanAttributes({ "smtp.response.status_code": receipt.code });
      return receipt;
    });
    recordSize("posthaste.smtp.size", mail.raw.length);
    recordDuration("posthaste.smtp.duration", receipt.durationMs / 1000);
    return await settle(work, deps, {
      state: "sent",
      reply: {
        code: receipt.code,
        response: receipt.response,
        ...(receipt.enhanced === undefined ? {} : { enhanced: receipt.enhanced }),
      },
    });
  } catch (error) {
    if (!(error instanceof SmtpFailure)) throw error;
    return await setBack(work, deps, { verdict: judgeSmtpFailure(error), integration });
  }
}

function setBack(
  work: Work,
  deps: SendDeps,
  { verdict, integration }: { verdict: SmtpVerdict; integration: Integration },
): Promise<Verdict> {
  const acceptedAt = new Date(work.message.acceptedAt);
  const now = deps.now();
  const setback = setbackOf(verdict, integration, { attempt: work.attempt, acceptedAt, now });
  return settle(work, deps, setback);
}

/** Writes the outcome, however long the database takes, and tells it. */
async function settle(
  work: Work,
  deps: SendDeps,
  result: Setback | { state: "sent"; reply: SmtpReply },
): Promise<Verdict> {
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
  if (!held) deps.logger.error("A mail's claim was lost before its outcome", { ...outcome });
  if (result.state === "deferred") await deps.hastenSweep(message.sendId, result.nextAt);
  count("posthaste.smtp.outcomes", 1, { "posthaste.outcome": result.state });
  const waited = (at.getTime() - Date.parse(message.acceptedAt)) / 1000;
  recordDuration("posthaste.message.duration", waited, { "posthaste.state": result.state });
  const fact = { ...factOf(message, attempt, at), durationMs };
  return { type: "done", publish: [toldAs(result, fact)] };
}

function toldAs(
  result: Setback | { state: "sent"; reply: SmtpReply },
  fact: ReturnType<typeof factOf>,
): Outgoing {
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
          nextAt: result.nextAt.toISOString(),
        },
      };
  }
}

function withReply(reply: SmtpReply | undefined) {
  return reply === undefined ? {} : { reply };
}

const WRITE_RETRY_MS = 1000;

/** What the server said must not be forgotten: an outage of the database is waited out. */
async function untilWritten(
  deps: SendDeps,
  write: () => Promise<boolean>,
): Promise<boolean> {
  while (true) {
    try {
      return await write();
    } catch (error) {
      const type = errorType(error);
      if (type !== "unavailable" && type !== "timeout") throw error;
      deps.logger.warn("Cannot write the outcome of a mail, trying again", { error });
      await delay(WRITE_RETRY_MS);
    }
  }
}

async function compose(message: Ready, deps: SendDeps): Promise<ComposedMail> {
  const [html, text, attachments] = await Promise.all([
    textOf(message.html, deps),
    textOf(message.text, deps),
    Promise.all(message.attachments.map(async ({ key, filename }) => {
      const base64 = await deps.loadAttachment(key);
      if (base64 === undefined) throw new MissingContentError(`Cannot find PDF "${key}"`);
      return { filename, content: { base64 }, contentType: "application/pdf" as const };
    })),
  ]);
  const { messageId, acceptedAt, from, to, subject } = message;
  return composeMime({
    messageId: `<${messageId}@${from.email.slice(from.email.lastIndexOf("@") + 1)}>`,
    date: new Date(acceptedAt),
    from: mailbox(from),
    to: mailbox(to),
    subject,
    html,
    text,
    attachments,
  }, { maxBytes: deps.mailLimit });
}

function mailbox({ email, name }: Ready["from"]) {
  return name === undefined ? { email } : { email, name };
}

async function textOf(content: Content, deps: SendDeps): Promise<string> {
  if ("inline" in content) return content.inline;
  const text = await deps.loadContent(content.key);
  if (text === undefined) throw new MissingContentError(`Cannot find content "${content.key}"`);
  return text;
}

/** The object store is a cache: what it lost is made again from the ledger. */
async function renderAgain(message: Ready, deps: SendDeps): Promise<Verdict> {
  const send = await deps.loadSend(message.sendId);
  if (send === null) return { type: "fail", reason: "the send is not in the ledger" };
  const { index, attempt } = message;
  const publish = dispatchesAgain(send, [{ index, attempt }]);
  return { type: "done", publish };
}

function factOf(
  message: Pick<Ready, "messageId" | "sendId" | "accountId" | "index">,
  attempt: number,
  now: Date,
) {
  const { messageId, sendId, accountId, index } = message;
  return { v: 1 as const, messageId, sendId, accountId, index, attempt, at: now.toISOString() };
}
