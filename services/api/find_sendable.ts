import type { AccessToken, Batch, EmailVersion, Integration, Send } from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import { requireUse } from "./authenticate.ts";
import type { ByteQuota } from "./byte_quota.ts";
import { findSuppressed, type FindSuppressedDeps } from "./find_suppressed.ts";
import { type CheckedSend, checkSend } from "./check_send.ts";
import type { Idempotency } from "./idempotency.ts";
import { isIdOrAlias, readPathId } from "./path_ids.ts";
import type { ReadSendBody } from "./read_send_body.ts";
import type { RequestStore } from "./request_store.ts";

/** What {@linkcode findSendable} needs. */
export interface FindSendableDeps extends Pick<FindSuppressedDeps, "suppressions"> {
  store: Pick<
    RequestStore,
    | "latestEmailVersion"
    | "latestPdfVersion"
    | "findAssetName"
    | "findIntegration"
    | "accountLocale"
    | "findSendByIdempotencyKey"
    | "bytes"
    | "wait"
  >;
  /** The quota of bytes that the account may send. */
  quota: Pick<ByteQuota, "load" | "admit">;
  /** Reads a body within the limits. */
  readBody(body: unknown): ReadSendBody;
  now(): Date;
  /** How far ahead a send may be scheduled, in milliseconds. */
  maxScheduleMs: number;
}

/** A request to send, by a token's account. */
export interface SendCommand {
  accountId: string;
  /** What the token may do. */
  limits: Pick<AccessToken, "templates" | "integrations" | "scopes">;
  /** Id or alias of an email template, as in the path. */
  templateId: string;
  /** Id of an integration, as in the path. */
  integrationId: string;
  /** As parsed from JSON, unchecked. */
  body: unknown;
  idempotency: Idempotency | undefined;
  /** W3C `traceparent` of the trace that the send's later spans join. */
  trace: string | undefined;
}

/** A request that may be accepted, with all that was looked up for it. */
export interface Sendable {
  email: EmailVersion;
  integration: Integration;
  checked: CheckedSend;
  /** The batch that it is a part of. */
  batch?: Batch;
  /** Recipients on the suppression list, as positions in `to`. */
  suppressed: number[];
  /** Counts towards the account's quota. */
  bytes: number;
}

/**
 * Checks a request to send as a whole, or finds the send that was accepted earlier under its
 * idempotency key, even if the template has changed since.
 *
 * @throws {HttpError}
 */
export async function findSendable(
  command: SendCommand,
  deps: FindSendableDeps,
): Promise<Sendable | { earlier: Send }> {
  const { store, quota } = deps;
  const { accountId, idempotency } = command;
  const loading = quota.load(accountId);
  const [earlier, email, integration, locale] = await Promise.all([
    idempotency === undefined ? null : store.findSendByIdempotencyKey(accountId, idempotency.key),
    findTemplate(command, store),
    findIntegration(command, store),
    store.accountLocale(accountId),
    loading && store.wait("look up the account's usage", () => loading),
  ]);
  if (earlier !== null) return { earlier };
  if (email === null) throw unknown("unknown_template", "email template", command.templateId);
  if (integration === null) {
    throw unknown("unknown_integration", "integration", command.integrationId);
  }
  requireUse(command.limits, { templateId: email.templateId, integrationId: integration.id });
  const checked = await checkSend(deps.readBody(command.body), {
    email,
    integration,
    scopes: command.limits.scopes,
    locale,
    latestPdfVersion: (ref) => store.latestPdfVersion(accountId, ref),
    findAssetName: (name) => store.findAssetName(accountId, name),
    schedule: { now: deps.now(), maxScheduleMs: deps.maxScheduleMs },
  });
  const { bytes } = store;
  quota.admit(accountId, bytes);
  const suppressed = await findSuppressed(checked.request, accountId, deps);
  return { email, integration, checked, suppressed, bytes };
}

/** Finds the newest published version of the template of a request. */
export async function findTemplate(
  { accountId, templateId }: Pick<SendCommand, "accountId" | "templateId">,
  store: Pick<FindSendableDeps["store"], "latestEmailVersion">,
): Promise<EmailVersion | null> {
  return isIdOrAlias(templateId) ? await store.latestEmailVersion(accountId, templateId) : null;
}

/** Finds the integration of a request, if it may carry new mail. */
export async function findIntegration(
  { accountId, integrationId }: Pick<SendCommand, "accountId" | "integrationId">,
  store: Pick<FindSendableDeps["store"], "findIntegration">,
): Promise<Integration | null> {
  const id = readPathId(integrationId);
  const found = id === undefined ? null : await store.findIntegration(accountId, id);
  // An archived integration must not carry new mail.
  return found === null || found.archivedAt ? null : found;
}

function unknown(
  code: "unknown_template" | "unknown_integration",
  kind: string,
  id: string,
): HttpError {
  return new HttpError(code, `Cannot accept the send: there is no ${kind} "${id}"`);
}
