import {
  type EmailVersion,
  ENVELOPE_VERSION,
  type Integration,
  messageIdOf,
  newSendId,
  type Priority,
  type Send,
  SEND_WARNINGS,
  type SendAccepted,
  type TokenLimits,
} from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import { failpoint } from "@posthaste/runtime";
import { count } from "@posthaste/telemetry";
import { requireUse } from "./authenticate.ts";
import type { ByteQuota } from "./byte_quota.ts";
import { type CheckedSend, checkSend } from "./check_send.ts";
import type { Idempotency } from "./idempotency.ts";
import { countCopies, needsEnvelope } from "./check_envelope.ts";
import { isIdOrAlias, readPathId } from "./path_ids.ts";
import type { ReadSendBody } from "./read_send_body.ts";
import type { RequestLedger } from "./request_ledger.ts";
import { warningsOf } from "./send_warnings.ts";

/** What {@linkcode acceptSend} needs. */
export interface AcceptSendDeps {
  ledger: Pick<
    RequestLedger,
    | "latestEmailVersion"
    | "latestPdfVersion"
    | "findAssetName"
    | "keepAssets"
    | "findIntegration"
    | "findSendByIdempotencyKey"
    | "acceptSend"
    | "bytes"
    | "wait"
  >;
  /** The bytes that the account may still have accepted. */
  quota: Pick<ByteQuota, "load" | "admit" | "note">;
  /**
   * Asks whether one more send may be accepted now.
   *
   * @param isRepeatable Whether it has an idempotency key.
   */
  admits(isRepeatable: boolean): boolean;
  /** Returns whether mail of an integration has to wait in the ledger. */
  mustWait(integration: Integration, priority: Priority): boolean;
  /** Returns the priority of a send to so many addresses. */
  priorityFor(accountId: string, addressCount: number): Priority;
  /** Hands an accepted send, of a request of so many bytes, to the pipeline without waiting for it. */
  dispatch(send: Send, bytes: number): void;
  /** Reads a body within the limits. */
  readBody(body: unknown): ReadSendBody;
  now(): Date;
}

/** A request to send, of the account of the token. */
export interface SendCommand {
  accountId: string;
  /** What the token is limited to. */
  limits: Pick<TokenLimits, "templates" | "integrations">;
  /** Id or alias of an email template, as it stands in the path. */
  templateId: string;
  /** Id of an integration, as it stands in the path. */
  integrationId: string;
  /** Out of the JSON parser, unchecked. */
  body: unknown;
  idempotency: Idempotency | undefined;
  /** W3C `traceparent` that the send's later life joins. */
  trace: string | undefined;
}

/** The answer to an accepted send, and whether it is that of an earlier request with the same key. */
export interface AcceptedSend {
  answer: SendAccepted;
  replayed: boolean;
}

/** The reconciler dispatches again what is not finished by then. */
const RECONCILE_AFTER_MS = 20_000;

const RETRY_AFTER_SECONDS = 2;

/**
 * Accepts a send: all of it is checked, then all of it is in the ledger, and only then is it handed
 * to the pipeline. An earlier request with the same idempotency key is answered as it was, whatever
 * became of its template since.
 *
 * @throws {HttpError} with nothing accepted. After `unavailable` a send with an idempotency key may be
 * accepted all the same, and its repetition finds it; one without is withdrawn.
 */
export async function acceptSend(
  command: SendCommand,
  deps: AcceptSendDeps,
): Promise<AcceptedSend> {
  const { ledger, quota, now } = deps;
  const { accountId, idempotency } = command;
  const loading = quota.load(accountId);
  const [earlier, email, integration] = await Promise.all([
    idempotency === undefined ? null : ledger.findSendByIdempotencyKey(accountId, idempotency.key),
    findTemplate(command, ledger),
    findIntegration(command, ledger),
    loading && ledger.wait("look up the account's usage", () => loading),
  ]);
  if (earlier !== null) return replay(earlier, command);
  if (email === null) throw unknown("unknown_template", "email template", command.templateId);
  if (integration === null) {
    throw unknown("unknown_integration", "integration", command.integrationId);
  }
  requireUse(command.limits, { templateId: email.templateId, integrationId: integration.id });
  const checked = await checkSend(deps.readBody(command.body), {
    email,
    integration,
    latestPdfVersion: (ref) => ledger.latestPdfVersion(accountId, ref),
    findAssetName: (name) => ledger.findAssetName(accountId, name),
  });
  quota.admit(accountId, ledger.bytes);
  if (!deps.admits(idempotency !== undefined)) throw tooMuch();
  // Copies are mail to further people: they make a small send a large one.
  const addresses = checked.request.to.length + countCopies(checked.request);
  const priority = deps.priorityFor(accountId, addresses);
  const mustWait = deps.mustWait(integration, priority);
  const send = makeSend(command, {
    email,
    integration,
    checked,
    priority,
    mustWait,
    acceptedAt: now(),
  });
  const { needed } = checked;
  if (needed.length > 0) await ledger.keepAssets(accountId, needed, send.acceptedAt);
  failpoint("api.before_accept");
  const acceptance = await ledger.acceptSend(send);
  failpoint("api.after_accept");
  if (!acceptance.accepted) return replay(acceptance.existing, command);
  quota.note(accountId, ledger.bytes);
  deps.dispatch(send, ledger.bytes);
  count("posthaste.accept.recipients", send.messageCount, { "posthaste.priority": send.priority });
  return { answer: answerOf(send), replayed: false };
}

interface SendParts {
  email: EmailVersion;
  integration: Integration;
  checked: CheckedSend;
  priority: Priority;
  mustWait: boolean;
  acceptedAt: Date;
}

function makeSend(
  { accountId, idempotency, trace }: SendCommand,
  { email, integration, checked: { request, pdfVersions }, priority, mustWait, acceptedAt }:
    SendParts,
): Send {
  const warnings = warningsOf(request, integration);
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
    ...(needsEnvelope(request) ? { eventVersion: ENVELOPE_VERSION } : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(trace === undefined ? {} : { trace }),
    ...(mustWait ? { next: 0 } : {}),
    settledAt: null,
    reconcileAt: new Date(acceptedAt.getTime() + RECONCILE_AFTER_MS),
  };
}

/** @throws {HttpError} `idempotency_mismatch` if the key was used for something else. */
function replay(existing: Send | null, { idempotency }: SendCommand): AcceptedSend {
  if (existing !== null && existing.idempotency?.bodyHash === idempotency?.bodyHash) {
    return { answer: answerOf(existing), replayed: true };
  }
  throw new HttpError(
    "idempotency_mismatch",
    `Cannot accept the send: the idempotency key "${idempotency?.key}" was used with another request`,
  );
}

function answerOf({ _id, request: { to }, warnings = [] }: Send): SendAccepted {
  return {
    status: "success",
    message: to.length === 1
      ? "1 email was put in the queue"
      : `${to.length} emails were put in the queue`,
    id: _id,
    messages: to.map(({ email }, index) => ({ id: messageIdOf(_id, index), email })),
    ...(warnings.length === 0 ? {} : {
      warnings: warnings.map((code) => ({ code, message: SEND_WARNINGS[code] })),
    }),
  };
}

async function findTemplate(
  { accountId, templateId }: SendCommand,
  ledger: AcceptSendDeps["ledger"],
): Promise<EmailVersion | null> {
  return isIdOrAlias(templateId) ? await ledger.latestEmailVersion(accountId, templateId) : null;
}

async function findIntegration(
  { accountId, integrationId }: SendCommand,
  ledger: AcceptSendDeps["ledger"],
): Promise<Integration | null> {
  const id = readPathId(integrationId);
  const found = id === undefined ? null : await ledger.findIntegration(accountId, id);
  // Anyone who removed it wants no new mail to go by it.
  return found === null || found.archivedAt ? null : found;
}

function tooMuch(): HttpError {
  return new HttpError("unavailable", "Cannot accept the send: the queue is full. Retry later", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}

function unknown(
  code: "unknown_template" | "unknown_integration",
  kind: string,
  id: string,
): HttpError {
  return new HttpError(code, `Cannot accept the send: there is no ${kind} "${id}"`);
}
