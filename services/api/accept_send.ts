import {
  type Batch,
  ENVELOPE_VERSION,
  type Integration,
  messageIdOf,
  newSendId,
  type Priority,
  RECONCILE_AFTER_MS,
  type Send,
  type SendAccepted,
} from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import { failpoint } from "@posthaste/runtime";
import { newSubjectKey } from "@posthaste/storage";
import { count } from "@posthaste/telemetry";
import { batchRefused } from "./batch.ts";
import type { ByteQuota } from "./byte_quota.ts";
import { countCopies, needsEnvelope } from "./check_envelope.ts";
import {
  findSendable,
  type FindSendableDeps,
  type Sendable,
  type SendCommand,
} from "./find_sendable.ts";
import type { RequestStore } from "./request_store.ts";
import { warningFields, warningsOf } from "./send_warnings.ts";
import { RETRY_AFTER_SECONDS } from "./retry_after.ts";

/** What {@linkcode acceptSend} needs. */
export interface AcceptSendDeps extends FindSendableDeps {
  store: FindSendableDeps["store"] & Pick<RequestStore, "acceptSend" | "keepAssets">;
  /** The quota of bytes that the account may send. */
  quota: Pick<ByteQuota, "load" | "admit" | "note">;
  /**
   * Returns whether one more send may be accepted now.
   *
   * @param isRepeatable Whether it has an idempotency key.
   */
  admits(isRepeatable: boolean): boolean;
  /** Returns whether mail of an integration has to wait in the ledger. */
  mustWait(integration: Integration, priority: Priority): boolean;
  /** Returns the priority of a send to this many addresses. */
  priorityFor(accountId: string, addressCount: number): Priority;
  /**
   * Begins to dispatch an accepted send and does not wait for it. `bytes` is the size of its
   * request.
   */
  startDispatch(send: Send, bytes: number): void;
  /** Writes to the audit log that a send may go to suppressed addresses. */
  auditToSuppressed(sendId: string, recipients: number): Promise<void>;
}

/** The answer to an accepted send, and whether an earlier request with the same key got it first. */
export interface AnsweredSend {
  answer: SendAccepted;
  replayed: boolean;
}

/**
 * Accepts a send: checks all of it, writes all of it to the ledger, and only then passes it to the
 * pipeline. A request whose idempotency key was used before gets the earlier answer, even if the
 * template has changed since.
 *
 * @throws {HttpError} with nothing accepted, except after `unavailable`. Then a send with an idempotency key
 * may be accepted all the same, and its repetition finds it. A send without one is withdrawn, unless
 * the reconciler has already found it.
 */
export async function acceptSend(
  command: SendCommand,
  deps: AcceptSendDeps,
): Promise<AnsweredSend> {
  const found = await findSendable(command, deps);
  if ("earlier" in found) return replay(found.earlier, command);
  return await acceptSendable(found, command, deps);
}

/** A request to send, after it was checked. */
export type CheckedCommand = Pick<SendCommand, "accountId" | "idempotency" | "trace">;

/** What {@linkcode acceptSendable} needs. */
export type AcceptSendableDeps =
  & Pick<
    AcceptSendDeps,
    "admits" | "mustWait" | "priorityFor" | "startDispatch" | "now" | "auditToSuppressed"
  >
  & {
    store: Pick<AcceptSendDeps["store"], "acceptSend" | "keepAssets" | "bytes">;
    quota: Pick<ByteQuota, "note">;
  };

/**
 * Accepts a send that was checked.
 *
 * @throws {HttpError}
 */
export async function acceptSendable(
  found: Sendable,
  command: CheckedCommand,
  deps: AcceptSendableDeps,
): Promise<AnsweredSend> {
  const { store, quota } = deps;
  const { idempotency } = command;
  const { integration, checked, batch, bytes } = found;
  if (!deps.admits(idempotency !== undefined)) throw tooMuch();
  // Copies are mail to further addresses: they make a small send a large one.
  const addresses = checked.request.to.length + countCopies(checked.request);
  // Sends of one batch have one priority: they leave in their order.
  const priority = batch === undefined ? deps.priorityFor(command.accountId, addresses) : "bulk";
  const mustWait = checked.notBefore !== undefined || deps.mustWait(integration, priority);
  const send = makeSend(command, {
    ...found,
    priority,
    mustWait,
    acceptedAt: deps.now(),
  });
  const { needed, toSuppressed } = checked;
  if (needed.length > 0) await store.keepAssets(command.accountId, needed, send.acceptedAt);
  if (toSuppressed > 0) await deps.auditToSuppressed(send._id, toSuppressed);
  failpoint("api.before_accept");
  const acceptance = await store.acceptSend(send);
  failpoint("api.after_accept");
  if (!acceptance.accepted) {
    if (acceptance.refusal !== undefined) throw batchRefused(send.batchId, acceptance.refusal);
    return replay(acceptance.existing, command);
  }
  quota.note(command.accountId, bytes);
  deps.startDispatch(send, store.bytes);
  count("posthaste.accept.recipients", send.messageCount, { "posthaste.priority": send.priority });
  return { answer: answerOf(send), replayed: false };
}

interface SendParts extends Sendable {
  priority: Priority;
  mustWait: boolean;
  acceptedAt: Date;
}

function makeSend(
  { accountId, idempotency, trace }: CheckedCommand,
  {
    email,
    integration,
    suppressed,
    checked: { request, pdfVersions, notBefore },
    priority,
    mustWait,
    acceptedAt,
    batch,
  }: SendParts,
): Send {
  const warnings = warningsOf(request, { integration, suppressed });
  return {
    _id: newSendId(accountId, acceptedAt),
    accountId,
    acceptedAt,
    priority,
    template: { id: email.templateId, version: email.version },
    pdfVersions,
    integrationId: integration.id,
    request,
    messageCount: request.to.length,
    subjectKey: newSubjectKey(),
    ...(needsEnvelope(request) ? { eventVersion: ENVELOPE_VERSION } : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(suppressed.length === 0 ? {} : { suppressed }),
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(trace === undefined ? {} : { trace }),
    ...(mustWait ? { next: 0 } : {}),
    ...(notBefore === undefined ? {} : { notBefore }),
    settledAt: null,
    reconcileAt: new Date(acceptedAt.getTime() + RECONCILE_AFTER_MS),
    ...(batch === undefined ? {} : batchFieldsOf(batch)),
  };
}

/** Returns what a send has of its batch. A held send is not examined before its batch must have ended. */
function batchFieldsOf({ _id: batchId, start, closesAt }: Batch) {
  if (start === "now") return { batchId };
  const reconcileAt = new Date(closesAt.getTime() + RECONCILE_AFTER_MS);
  return { ...{ batchId, next: 0, reconcileAt }, held: true } as const;
}

/**
 * Returns the earlier answer.
 *
 * @throws {HttpError} `idempotency_mismatch` if the key was used for a different request.
 */
export function replay(
  existing: Send | null,
  { idempotency }: Pick<SendCommand, "idempotency">,
): AnsweredSend {
  if (existing !== null && existing.idempotency?.bodyHash === idempotency?.bodyHash) {
    return { answer: answerOf(existing), replayed: true };
  }
  throw new HttpError(
    "idempotency_mismatch",
    `Cannot accept the send: the idempotency key "${idempotency?.key}" was used with another request`,
  );
}

function answerOf(
  { _id, request: { to }, warnings = [], suppressed = [] }: Send,
): SendAccepted {
  return {
    status: "success",
    message: to.length === 1
      ? "1 email was put in the queue"
      : `${to.length} emails were put in the queue`,
    id: _id,
    messages: to.map(({ email }, index) => ({ id: messageIdOf(_id, index), email })),
    ...warningFields(warnings, suppressed),
  };
}

function tooMuch(): HttpError {
  return new HttpError("unavailable", "Cannot accept the send: the queue is full. Retry later", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
