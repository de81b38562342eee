import { createHash } from "node:crypto";
import { type Integration, PARKING_REASON } from "@posthaste/contracts";
import type { HolderBudget } from "@posthaste/limits";
import {
  type Delivery,
  dispatchesAgain,
  type Outgoing,
  type Place,
  type Step,
  type Verdict,
} from "@posthaste/messaging";
import { crashPoint } from "@posthaste/runtime";
import {
  type IntegrationStore,
  MasterKeyMissingError,
  type MessageIdentity,
  type MessageParking,
  type MessageStore,
} from "@posthaste/storage";
import {
  addSpanAttributes,
  type Logger,
  recordDuration,
  recordSize,
  withSpan,
} from "@posthaste/telemetry";
import { type AttemptDeps, openAttempt } from "./attempt.ts";
import { isInterruption, isSilent, isUnreachable } from "./breaker.ts";
import {
  composeMessage,
  type MessageContents,
  MissingContentError,
  type ReadyMessage,
} from "./compose_message.ts";
import type { ComposedMail } from "./compose_mime.ts";
import type { Admission, Gate, Passage } from "./gate.ts";
import { type Setback, setbackOf } from "./outcome.ts";
import { factOf, settle, type SettleDeps, type Work } from "./settle.ts";
import { SIGNATURE_ROOM, signMail } from "./sign_mail.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";
import { judgeSmtpFailure, type SmtpVerdict } from "./smtp_verdict.ts";
import type { SmtpReceipt, TransportPool } from "./transport_pool.ts";
import type { Troubles } from "./troubles.ts";

/** What the step needs from the outside. */
export interface SendDeps
  extends
    SettleDeps,
    AttemptDeps,
    MessageContents,
    Pick<MessageParking, "parkMessage">,
    Pick<MessageStore, "findMessage">,
    Pick<IntegrationStore, "suspendIntegration"> {
  findIntegration(accountId: string, id: number): Promise<Integration | null>;
  /** Opens the integration's secrets. */
  unseal(integration: Integration): SmtpIntegration;
  gate: Gate;
  /** Bytes of the mails in hand. */
  waiting: HolderBudget;
  troubles: Pick<Troubles, "note" | "clear">;
  send: TransportPool["send"];
  logger: Pick<Logger, "warn" | "error">;
  /** Largest mail, in bytes. */
  mailLimit: number;
}

const SILENT = "The SMTP server takes mail and does not answer";

/** Most servers answer sooner. */
const RELEASE_AFTER_MS = 2000;

/** Whoever is not admitted by then waits. */
const ADMISSION_MS = 20;

/** What a mail that waits costs besides its own bytes. */
const MIN_WAITING_BYTES = 100_000;

/** What brings a message to the mailers. */
type MailEvent = "message.rendered" | "message.printed";

/**
 * Sends one message: makes one SMTP transaction, takes the attempt's register while the body goes out, and
 * writes the outcome. Without the register no final dot goes out; a worker that is lost between the dot
 * and the outcome is the one gap that SMTP leaves (RFC 1047). What may not go now is parked, without a
 * register; what only other mailers have connections for goes back to the queue.
 */
export function sendStep(deps: SendDeps): Step<MailEvent> {
  return {
    name: "mailer.send",
    handle: async (delivery, _signal, place) => {
      const { type, data } = delivery;
      const message = type === "message.printed" ? data : { ...data, attachments: [] };
      addSpanAttributes({
        "posthaste.message.id": message.messageId,
        "posthaste.attempt": message.attempt + 1,
      });
      const integration = await deps.findIntegration(message.accountId, message.integrationId);
      if (integration === null) {
        const reason = "The SMTP integration does not exist any more";
        return await failUnsent(message, deps, reason);
      }
      using reservation = reserve(message.accountId, deps.waiting);
      // The account has enough in hand that waits for its servers.
      if (reservation === undefined) {
        return await park(message, integration, deps, PARKING_REASON.busy);
      }
      const admission = await admit(message, { integration, place, reservation }, deps);
      if (admission === "elsewhere") {
        return passOn(delivery) ?? await park(message, integration, deps, PARKING_REASON.busy);
      }
      if ("parked" in admission) return await park(message, integration, deps, admission.parked);
      crashPoint("mailer.admitted");
      try {
        const way = { integration, passage: admission, place, reservation };
        return await sendMessage(message, way, deps);
      } finally {
        admission.leave();
      }
    },
    giveUp: ({ data }, reason) => ({
      publish: [{
        type: "fact.message.failed",
        data: { ...factOf(data, data.attempt, deps.now()), stage: "pipeline", reason },
      }],
    }),
  };
}

/** Mail that has to wait for a connection leaves its place to others. */
async function admit(
  { lane }: ReadyMessage,
  { integration, place, reservation }: Omit<Way, "passage">,
  { gate }: SendDeps,
): Promise<Admission> {
  const timer = setTimeout(() => {
    if (reservation.confirm(0)) place?.release();
  }, ADMISSION_MS);
  try {
    return await gate.admit(integration, lane);
  } finally {
    clearTimeout(timer);
  }
}

interface Way {
  integration: Integration;
  passage: Passage;
  place: Place | undefined;
  reservation: Reservation;
}

async function sendMessage(message: ReadyMessage, way: Way, deps: SendDeps): Promise<Verdict> {
  const { integration } = way;
  let mail: ComposedMail | string;
  try {
    const room = integration.dkim?.enabled ? SIGNATURE_ROOM : 0;
    mail = await composeMessage(message, deps, deps.mailLimit - room);
  } catch (error) {
    if (error instanceof MissingContentError) return renderAgain(message);
    throw error;
  }
  if (typeof mail === "string") return await failUnsent(message, deps, mail);
  crashPoint("mailer.composed");
  const earlier = message.attempt > 0
    ? await deps.findMessage(message.accountId, message.messageId)
    : null;
  if (earlier !== null && (earlier.attempt !== message.attempt || earlier.state !== "deferred")) {
    return NOTHING;
  }
  const work = begin(message, deps);
  const opened = unsealed(integration, deps);
  if ("kind" in opened) return await setBack(work, integration, deps, opened);
  const raw = opened.dkim === undefined ? mail.raw : await signMail(mail.raw, opened.dkim);
  const mimeHash = createHash("sha256").update(raw).digest("hex");
  if (earlier?.mimeHash && earlier.mimeHash !== mimeHash) {
    deps.logger.warn("A mail differs from its earlier attempt", { messageId: message.messageId });
  }
  return await transact({ ...work, mimeHash }, { ...way, mail: { ...mail, raw }, opened }, deps);
}

const NOTHING: Verdict = { type: "done", publish: [] };

function begin(message: ReadyMessage, deps: SendDeps): Work {
  const attempt = openAttempt(identityOf(message), message.attempt + 1, deps);
  return { message, attempt, begunAt: deps.now() };
}

function identityOf(message: ReadyMessage): MessageIdentity {
  const { messageId, sendId, accountId, integrationId, index, to, acceptedAt } = message;
  return {
    ...{ messageId, sendId, accountId, index },
    integration: `${accountId}/${integrationId}`,
    email: to.email,
    acceptedAt: new Date(acceptedAt),
  };
}

/** A message that can never be sent fails without having been tried. */
async function failUnsent(message: ReadyMessage, deps: SendDeps, reason: string): Promise<Verdict> {
  return await settle(begin(message, deps), deps, { state: "failed", reason });
}

/**
 * A mail that comes so often to mailers without a connection waits in the ledger. With six mailers for each
 * connection this happens to one in 22.
 */
const MOST_PASSES = 16;

/**
 * Leaves a mail to the other mailers, one of which has a connection. It was tried nowhere: to render it
 * once more, as what is parked is, would cost more.
 */
function passOn({ type, data }: Delivery<MailEvent>): Verdict | undefined {
  const passes = (data.passes ?? 0) + 1;
  if (passes > MOST_PASSES) return undefined;
  return { type: "done", publish: [{ type, data: { ...data, passes } } as Outgoing] };
}

/** It waits in the ledger until the tracker lets it go, but no longer than mail may wait. */
async function park(
  message: ReadyMessage,
  integration: Integration,
  deps: SendDeps,
  reason: string,
): Promise<Verdict> {
  const now = deps.now();
  if (now.getTime() >= Date.parse(message.acceptedAt) + integration.retryForMs) {
    return await failUnsent(message, deps, `${reason}; retries ended`);
  }
  crashPoint("mailer.before_park");
  const { attempt } = message;
  await deps.parkMessage({
    ...identityOf(message),
    attempt,
    now,
    parkedFor: integration._id,
    reason,
  });
  crashPoint("mailer.after_park");
  return NOTHING;
}

/**
 * A secret that does not open stops the integration, not the mail: a person can repair it. One whose
 * master key this process was not given may be opened by another, while keys are being replaced.
 */
function unsealed(integration: Integration, deps: SendDeps): SmtpIntegration | SmtpVerdict {
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
}

async function transact(work: Work, smtp: Smtp, deps: SendDeps): Promise<Verdict> {
  const { integration } = smtp;
  let receipt: SmtpReceipt;
  using _patience = releasePlaceLate(smtp);
  try {
    receipt = await withSpan("smtp.send", {
      kind: "client",
      attributes: { "server.address": integration.host, "server.port": integration.port },
    }, async () => {
      const receipt = await handOver(work, smtp, deps);
      addSpanAttributes({ "smtp.response.status_code": receipt.code });
      return receipt;
    });
  } catch (error) {
    if (!(error instanceof SmtpFailure)) throw error;
    crashPoint("mailer.before_setback");
    const verdict = judgeSmtpFailure(error);
    if (isInterruption(error)) {
      // The server has nothing to do with it: it need not be spared.
      const { reason } = verdict;
      return await settle(work, deps, { state: "deferred", reason, nextAt: deps.now() });
    }
    if (isUnreachable(error) || isSilent(error)) {
      await deps.troubles.note(integration._id, isSilent(error) ? SILENT : verdict.reason);
    } else if (error.fault !== "host") await deps.troubles.clear(integration._id);
    return await setBack(work, integration, deps, verdict);
  }
  crashPoint("mailer.before_outcome");
  await deps.troubles.clear(integration._id);
  recordSize("posthaste.smtp.size", smtp.mail.raw.length);
  recordDuration("posthaste.smtp.duration", receipt.durationMs / 1000);
  const { code, response, enhanced } = receipt;
  const reply = { code, response, ...(enhanced === undefined ? {} : { enhanced }) };
  const settled = await settle(work, deps, { state: "sent", reply });
  crashPoint("mailer.after_outcome");
  return settled;
}

/** Bytes that a mail in hand is counted for. */
interface Reservation extends Disposable {
  /** Counts a mail for its true size, if that is more. Returns whether it may wait in no place. */
  confirm(bytes: number): boolean;
}

/** Counts one more mail of an account; `undefined` if it has as many in hand as it may. */
function reserve(holder: string, waiting: HolderBudget): Reservation | undefined {
  const refused = waiting.take(MIN_WAITING_BYTES, { holder, held: 0 });
  if (refused === "holder") return undefined;
  // Others have more than there is: it goes on, and keeps its place.
  let held = refused === undefined ? MIN_WAITING_BYTES : 0;
  return {
    confirm(bytes) {
      const more = Math.max(MIN_WAITING_BYTES, bytes) - held;
      if (more > 0 && waiting.take(more, { holder, held }) !== undefined) return false;
      held += Math.max(0, more);
      return true;
    },
    [Symbol.dispose]() {
      if (held > 0) waiting.free({ holder, held });
    },
  };
}

/**
 * A transaction that takes long waits for its server: for a connection, or for the reply. It gives its
 * place to mail for others, as long as all that wait so hold no more than they may. How many of one
 * integration do is the gate's business.
 */
function releasePlaceLate({ mail, place, reservation }: Smtp): Disposable {
  const timer = setTimeout(() => {
    if (reservation.confirm(mail.raw.length)) place?.release();
  }, RELEASE_AFTER_MS);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

function handOver(
  { attempt }: Work,
  { mail, opened, passage }: Smtp,
  deps: SendDeps,
): Promise<SmtpReceipt> {
  return deps.send({
    integration: opened,
    connections: passage.connections,
    envelope: mail.envelope,
    raw: mail.raw,
    // The register is taken while the body goes out.
    onData: () => attempt.take(),
    onDot: () => attempt.confirm(),
  });
}

async function setBack(
  work: Work,
  integration: Integration,
  deps: SendDeps,
  verdict: SmtpVerdict,
): Promise<Verdict> {
  const acceptedAt = new Date(work.message.acceptedAt);
  const now = deps.now();
  const attempt = work.message.attempt + 1;
  const setback = setbackOf(verdict, integration, { attempt, acceptedAt, now });
  if (verdict.kind !== "suspend_integration" || setback.state !== "deferred") {
    return await settle(work, deps, setback);
  }
  const { reason } = verdict;
  deps.gate.block(integration, reason);
  const isSuspended = await deps.suspendIntegration(integration, { at: now, reason });
  crashPoint("mailer.after_suspend");
  return await settle(work, deps, isSuspended ? parked(setback, integration) : setback);
}

function parked(setback: Setback & { state: "deferred" }, { _id }: Integration): Setback {
  const { reason, reply } = setback;
  const said = reply === undefined ? {} : { reply };
  return { state: "deferred", reason, ...said, parkedFor: _id };
}

/** The object store is a cache: what it lost is made again from the ledger. */
function renderAgain(message: ReadyMessage): Verdict {
  const { sendId: _id, accountId, lane, index, attempt } = message;
  return { type: "done", publish: dispatchesAgain({ _id, accountId, lane }, [{ index, attempt }]) };
}
