import { createHash } from "node:crypto";
import {
  copiesOf,
  copyFields,
  type Integration,
  isNoMailbox,
  type Message,
  messageIdOf,
  type Priority,
  type SmtpReply,
  type Suppression,
} from "@posthaste/contracts";
import { attemptPolicy } from "@posthaste/delivery";
import type { Semaphore } from "@posthaste/limits";
import {
  carryTail,
  type Delivery,
  dispatchesAgain,
  type MessageStatusEvent,
  type Outgoing,
  reportsOf,
  type Step,
  type Verdict,
} from "@posthaste/messaging";
import { allEnded, failpoint } from "@posthaste/runtime";
import {
  MasterKeyMissingError,
  type MessageIdentity,
  reasonOfPause,
  type StorePart,
  suppressedFormOf,
  type SuppressionStore,
  WAITING_REASON,
} from "@posthaste/storage";
import {
  addSpanAttributes,
  type Logger,
  recordDuration,
  recordSize,
  withSpan,
} from "@posthaste/telemetry";
import { type AttemptDeps, isStale, openAttempt } from "./attempt.ts";
import { isInterruption, isSilent, isUnoffered, isUnreachable } from "./breaker.ts";
import {
  composeMessage,
  type MessageContents,
  MissingContentError,
  type ReadyMessage,
} from "./compose_message.ts";
import type { ComposedMail } from "./compose_mime.ts";
import type { Admission, Permit } from "./admission.ts";
import { type Copies, copiesFor } from "./copies.ts";
import { setbackOf, type Waits } from "./outcome.ts";
import { settle, type SettleDeps, statusEventOf, type Work } from "./settle.ts";
import { SIGNATURE_ROOM, signMail } from "./sign_mail.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";
import { judgeSmtpFailure, type SmtpVerdict } from "./smtp_verdict.ts";
import { type StopDeps, stopIntegration } from "./stop_integration.ts";
import type { TransportPool } from "./transport_pool.ts";
import type { SmtpReceipt } from "./smtp_receipt.ts";
import type { CircuitStates } from "./circuit_states.ts";

/** The dependencies of the step. */
export type SendDeps =
  & SettleDeps
  & AttemptDeps
  & Waits
  & MessageContents
  & StopDeps
  & StorePart<"registers.find" | "messages.find">
  & {
    integrations: {
      find(accountId: string, id: number): Promise<Integration | null>;
    };
    /** Returns which addresses of an account are suppressed now, by the address in lower case. */
    findSuppressed: SuppressionStore["among"];
    suppressions: Pick<SuppressionStore, "noteRefused">;
    /** Opens the integration's secrets. */
    unseal(integration: Integration): SmtpIntegration;
    admission: Admission;
    /** Bytes of the mails in flight, of all and of each account. */
    inHand: Semaphore;
    circuitStates: Pick<CircuitStates, "note" | "clear" | "circuitOf">;
    send: TransportPool["send"];
    logger: Pick<Logger, "warn" | "error">;
    /** Largest mail, in bytes. */
    mailLimit: number;
  };

const SILENT = "The SMTP server accepts mail but does not reply";

/** Memory of a mail in flight besides its texts and PDFs, in bytes. */
const MAIL_BYTES = 32_000;

/** PDFs are in memory as base64 too. */
const ENCODED = 3;

/** Events that bring messages to the mailers. */
type MailEvent = "messages.rendered" | "messages.printed";
type MailMessage = Delivery<MailEvent>["data"]["messages"][number];

/**
 * Sends the messages of an event, each in its own SMTP transaction: takes the attempt's register while the
 * body is transmitted, and writes the outcome. No final dot is sent without the register. A worker lost
 * between the dot and the outcome is the one gap that SMTP leaves (RFC 1047). Messages that may not be sent
 * now go back to the scheduler, without a register. Messages for which only other mailers have connections go
 * back to the queue.
 */
export function sendStep(deps: SendDeps): Step<MailEvent> {
  return {
    name: "mailer.send",
    handle: async (delivery, _signal, place) => {
      const { accountId, integrationId, insteadOf, priority } = delivery.data;
      const messages = await openMessages(delivery, deps);
      addSpanAttributes({
        "posthaste.send.id": delivery.data.sendId,
        "posthaste.recipient.count": messages.length,
      });
      const integration = await deps.integrations.find(accountId, integrationId);
      const own = insteadOf === undefined
        ? integration
        : await deps.integrations.find(accountId, insteadOf);
      const suppressed = await findSuppressed(accountId, messages, deps);
      using permits = new DisposableStack();
      const counted = messages.map((message) => {
        const permit = permits.use(deps.inHand.tryAcquire(message.accountId, 0));
        return { message, permit, full: permit?.grow(bytesOf(message)) };
      });
      // From now on the bytes are the limit, not the places.
      if (counted.every(({ full }) => full !== "all")) place?.release();
      const results = await allEnded(counted, async ({ message, permit, full }) => {
        using _ = permit;
        if (integration === null || own === null) {
          return await failUnsent(message, deps, "The SMTP integration no longer exists");
        }
        const suppression = suppressed.get(suppressedFormOf(message.to.email));
        if (suppression !== undefined && !message.envelope?.toSuppressed) {
          return await suppress(message, suppression, deps);
        }
        // The account has enough mail in flight that waits for its servers.
        if (full === "owner") {
          return await giveBack(message, own, deps);
        }
        const canPass = (delivery.data.passes ?? 0) < MAX_PASSES;
        return await sendOne(message, { integration, own, priority, canPass, suppressed }, deps);
      });
      return verdictOf(delivery, results, messages);
    },
    giveUp: ({ data }, reason) => ({
      publish: reportsOf(data.messages.map(({ index, attempt }): MessageStatusEvent => {
        const messageId = messageIdOf(data.sendId, index);
        const message = { ...data, messageId, index };
        return {
          type: "status.message.failed",
          data: { ...statusEventOf(message, attempt, deps.now()), stage: "pipeline", reason },
        };
      })),
    }),
  };
}

/** Returns the messages of an event that are still to be sent. */
async function openMessages(
  delivery: Delivery<MailEvent>,
  { registers: { find: findRegisters } }: SendDeps,
): Promise<ReadyMessage[]> {
  const { messages: _, ...send } = delivery.data;
  const messages = delivery.data.messages.map((message): ReadyMessage => ({
    ...send,
    ...message,
    messageId: messageIdOf(send.sendId, message.index),
    attachments: "attachments" in message ? message.attachments : [],
    ...(delivery.tail === undefined ? {} : { tail: delivery.tail }),
  }));
  if (!delivery.isAgain && !send.redelivered) return messages;
  const attempts = messages.map(({ messageId, attempt }) => ({ messageId, n: attempt + 1 }));
  const registers = await findRegisters(attempts);
  return messages.filter(({ messageId, attempt }) => !registers.has(`${messageId}/${attempt + 1}`));
}

/** Result of a message in this mailer. */
type Result = "ended" | "elsewhere" | "content_missing";

async function sendOne(
  message: ReadyMessage,
  { integration, own, priority, canPass, suppressed }: {
    integration: Integration;
    own: Integration;
    priority: Priority;
    canPass: boolean;
    suppressed: Suppressed;
  },
  deps: SendDeps,
): Promise<Result> {
  const admitted = await deps.admission.admit(integration, priority);
  if (admitted === "elsewhere" && canPass) return "elsewhere";
  if (typeof admitted === "string") return await giveBack(message, own, deps);
  failpoint("mailer.admitted");
  try {
    return await sendMessage(message, { integration, own, permit: admitted, suppressed }, deps);
  } finally {
    admitted.leave();
  }
}

/** Messages that were not tried here go back to the queue, or are rendered again. */
function verdictOf(
  { type, data, tail }: Delivery<MailEvent>,
  results: readonly Result[],
  messages: readonly ReadyMessage[],
): Verdict {
  const indexesOf = (wanted: Result) =>
    new Set(messages.filter((_, at) => results[at] === wanted).map(({ index }) => index));
  const elsewhere = indexesOf("elsewhere");
  const missing = indexesOf("content_missing");
  const left = data.messages.filter(({ index }) => elsewhere.has(index));
  const { messages: passing, ...carried } = carryTail<MailMessage>(left, tail);
  const passes = (data.passes ?? 0) + 1;
  const passed = { type, data: { ...data, messages: passing, passes }, ...carried };
  const { sendId: _id, accountId, priority, v: eventVersion, integrationId, insteadOf } = data;
  return {
    type: "done",
    publish: [
      ...(left.length === 0 ? [] : [passed as Outgoing]),
      // The object store is a cache: missing objects are made again from the ledger.
      ...dispatchesAgain(
        { _id, accountId, priority, eventVersion },
        data.messages.filter(({ index }) => missing.has(index)),
        insteadOf === undefined ? {} : { integrationId },
      ),
    ],
  };
}

interface Way {
  integration: Integration;
  /** The integration of the send: it decides how long and whether to retry. */
  own: Integration;
  permit: Permit;
  suppressed: Suppressed;
}

/** Entries of the suppression list that apply, by the address in lower case. */
type Suppressed = ReadonlyMap<string, Suppression>;

async function sendMessage(message: ReadyMessage, way: Way, deps: SendDeps): Promise<Result> {
  const { integration, own } = way;
  let mail: ComposedMail | string;
  try {
    const room = integration.dkim?.enabled ? SIGNATURE_ROOM : 0;
    mail = await composeMessage(message, deps, deps.mailLimit - room);
  } catch (error) {
    if (error instanceof MissingContentError) return "content_missing";
    throw error;
  }
  if (typeof mail === "string") return await failUnsent(message, deps, mail);
  failpoint("mailer.composed");
  const earlier = await findEarlier(message, deps);
  if (earlier === null) return "ended";
  const work = begin(message, deps);
  const opened = unsealed(integration, deps);
  if ("kind" in opened) {
    return await setBack(work, { integration, own, isUnoffered: true }, deps, opened);
  }
  const raw = opened.dkim === undefined ? mail.raw : await signMail(mail.raw, opened.dkim);
  const mimeHash = createHash("sha256").update(raw).digest("hex");
  // Another integration signs otherwise.
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
 * Returns a message as its earlier attempts left it; `undefined` at the first attempt, and `null` if it has
 * changed since, or was removed with its send.
 */
async function findEarlier(
  message: ReadyMessage,
  deps: SendDeps,
): Promise<Message | null | undefined> {
  const { accountId, messageId, attempt } = message;
  const isAsked = attempt > 0 || isStale(identityOf(message), deps.now());
  if (!isAsked) return undefined;
  const earlier = await deps.messages.find(accountId, messageId);
  return earlier === null || !isOpen(earlier, attempt) ? null : earlier;
}

/** Returns the suppressions of recipients and copies of some messages. */
async function findSuppressed(
  accountId: string,
  messages: readonly ReadyMessage[],
  deps: SendDeps,
): Promise<Suppressed> {
  const emails = messages.flatMap(({ to, envelope = {} }) => [
    to.email,
    ...copiesOf(envelope, to.email),
  ]);
  return emails.length === 0 ? new Map() : await deps.findSuppressed(accountId, emails, deps.now());
}

/** Ends a message whose recipient is suppressed. Nothing is sent. */
async function suppress(
  message: ReadyMessage,
  { reason: why, reply }: Suppression,
  deps: SendDeps,
): Promise<Result> {
  if (await findEarlier(message, deps) === null) return "ended";
  const codes = [reply?.code, reply?.enhanced].filter((part) => part !== undefined).join(" ");
  const cause = why === "hard_refusal" ? `: a server refused it (${codes})` : "";
  const reason = `The address is on the suppression list${cause}`;
  return await settle(begin(message, deps), deps, { state: "suppressed", reason });
}

/** Returns whether an attempt, by the number of those before it, is still to be made. */
function isOpen(message: Message, attempt: number): boolean {
  return message.attempt === attempt && message.state === (attempt > 0 ? "deferred" : "queued");
}

function begin(message: ReadyMessage, deps: SendDeps): Work {
  const which = { n: message.attempt + 1, fallback: fallbackOf(message) };
  const attempt = openAttempt(identityOf(message), which, deps);
  return { message, attempt, begunAt: deps.now() };
}

/** Returns the integration of the attempt, if it is not the send's own. */
function fallbackOf({ integrationId, insteadOf }: ReadyMessage): number | undefined {
  return insteadOf === undefined ? undefined : integrationId;
}

/** A message belongs to the integration of its send, whichever one sends it. */
function ownKeyOf({ accountId, integrationId, insteadOf }: ReadyMessage): string {
  return `${accountId}/${insteadOf ?? integrationId}`;
}

function identityOf(message: ReadyMessage): MessageIdentity {
  const { messageId, sendId, accountId, index, to, acceptedAt, envelope } = message;
  return {
    ...copyFields(envelope, to.email),
    ...{ messageId, sendId, accountId, index },
    integration: ownKeyOf(message),
    email: to.email,
    acceptedAt: new Date(acceptedAt),
  };
}

/** A message that can never be sent fails without having been tried. */
async function failUnsent(message: ReadyMessage, deps: SendDeps, reason: string): Promise<Result> {
  return await settle(begin(message, deps), deps, { state: "failed", reason });
}

/**
 * A mail that often reaches mailers without a connection goes back to the scheduler. With six mailers for
 * each connection, that is one mail in 22.
 */
const MAX_PASSES = 16;

/** The scheduler dispatches it when there is capacity, or when its maximum wait for its own integration ends. */
async function giveBack(
  message: ReadyMessage,
  own: Integration,
  deps: SendDeps,
): Promise<Result> {
  const { acceptedAt, integrationId, insteadOf } = message;
  const now = deps.now();
  if (now.getTime() >= Date.parse(acceptedAt) + own.retryForMs) {
    const circuit = deps.circuitStates.circuitOf(own._id);
    const cause = reasonOfPause(own, circuit) ?? WAITING_REASON.busy;
    return await failUnsent(message, deps, `${cause}; retries ended`);
  }
  failpoint("mailer.before_give_back");
  await deps.report({
    type: "status.message.returned",
    data: {
      ...statusEventOf(message, message.attempt, now),
      integrationId,
      acceptedAt,
      ...(insteadOf ? { insteadOf } : {}),
    },
  });
  failpoint("mailer.after_give_back");
  return "ended";
}

/**
 * A secret that cannot be opened stops the integration, not the mail: a person can repair it. While keys are
 * being replaced, another process may have the master key that this one lacks.
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
  copies: Copies;
}

async function transact(work: Work, smtp: Smtp, deps: SendDeps): Promise<Result> {
  const { integration, own } = smtp;
  let receipt: SmtpReceipt;
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
    failpoint("mailer.before_setback");
    const verdict = judgeSmtpFailure(error);
    if (isInterruption(error)) {
      // The server is not at fault: it needs no pause.
      const { reason } = verdict;
      return await settle(work, deps, { state: "deferred", reason, nextAt: deps.now() });
    }
    if (isUnreachable(error) || isSilent(error)) {
      await deps.circuitStates.note(integration._id, isSilent(error) ? SILENT : verdict.reason);
    } // A server may send nothing before it has accepted a login.
    else if (error.fault !== "host" && error.phase !== "auth") {
      await deps.circuitStates.clear(integration._id);
    }
    const used = { integration, own, isUnoffered: isUnoffered(error) };
    const ended = await setBack(work, used, deps, verdict);
    if (error.phase === "rcpt" && isNoMailbox(verdict)) {
      await noteRefused(work, { email: work.message.to.email, reply: verdict }, deps);
    }
    return ended;
  }
  // The server is free for the next mail, which need not wait for the ledger.
  smtp.permit.leave();
  failpoint("mailer.before_outcome");
  await deps.circuitStates.clear(integration._id);
  recordSize("posthaste.smtp.size", smtp.mail.raw.length);
  recordDuration("posthaste.smtp.duration", receipt.durationMs / 1000);
  const { code, response, enhanced } = receipt;
  const reply = { code, response, ...(enhanced === undefined ? {} : { enhanced }) };
  await settle(work, deps, { state: "sent", reply, copiesRefused: smtp.copies.refused() });
  failpoint("mailer.after_outcome");
  for (const { email, reply } of smtp.copies.refused()) {
    if (isNoMailbox(reply)) await noteRefused(work, { email, reply }, deps);
  }
  return "ended";
}

/** The outcome is written. An entry that is lost here is added by the next refusal. */
async function noteRefused(
  { message: { accountId, messageId } }: Work,
  { email, reply: { code, enhanced } }: { email: string; reply: SmtpReply },
  { suppressions, logger, now }: SendDeps,
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

/** Returns the memory of a mail in flight, in bytes. */
function bytesOf({ html, text, attachments, files = [] }: ReadyMessage): number {
  const texts = [html, text].reduce(
    (sum, one) => sum + ("inline" in one ? one.inline.length : 0),
    0,
  );
  const attached = [...attachments, ...files].reduce((sum, { size }) => sum + size, 0);
  return MAIL_BYTES + texts * 2 + attached * ENCODED;
}

function handOver(
  { attempt }: Work,
  { mail, opened, permit, copies }: Smtp,
  deps: SendDeps,
): Promise<SmtpReceipt> {
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

async function setBack(
  work: Work,
  { integration, own, isUnoffered }: Pick<Way, "integration" | "own"> & { isUnoffered: boolean },
  deps: SendDeps,
  verdict: SmtpVerdict,
): Promise<Result> {
  const acceptedAt = new Date(work.message.acceptedAt);
  const now = deps.now();
  const attempt = work.message.attempt + 1;
  const { retryMs, replyMs } = deps;
  const isFallback = fallbackOf(work.message) !== undefined;
  const policy = attemptPolicy(own, { isFallback });
  const setback = setbackOf(verdict, policy, { attempt, acceptedAt, now, retryMs, replyMs });
  if (setback.state !== "deferred") return await settle(work, deps, setback);
  const unreached = isUnoffered ? { unreached: integration.id } : {};
  const reason = await stopIntegration(verdict, { integration, now }, deps);
  if (reason === undefined) return await settle(work, deps, { ...setback, ...unreached });
  const { state, reply } = setback;
  const said = reply === undefined ? { reason } : { reason, reply };
  return await settle(work, deps, {
    ...{ state, ...said, ...unreached, waitsFor: ownKeyOf(work.message) },
  });
}
