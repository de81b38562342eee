import type { EmailVersion, Integration, Send, TokenLimits } from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import { requireUse } from "./authenticate.ts";
import type { ByteQuota } from "./byte_quota.ts";
import { type CheckedSend, checkSend } from "./check_send.ts";
import type { Idempotency } from "./idempotency.ts";
import { isIdOrAlias, readPathId } from "./path_ids.ts";
import type { ReadSendBody } from "./read_send_body.ts";
import type { RequestLedger } from "./request_ledger.ts";

/** What {@linkcode findSendable} needs. */
export interface FindSendableDeps {
  ledger: Pick<
    RequestLedger,
    | "latestEmailVersion"
    | "latestPdfVersion"
    | "findAssetName"
    | "findIntegration"
    | "findSendByIdempotencyKey"
    | "bytes"
    | "wait"
  >;
  /** The bytes that the account may still have accepted. */
  quota: Pick<ByteQuota, "load" | "admit">;
  /** Reads a body within the limits. */
  readBody(body: unknown): ReadSendBody;
  now(): Date;
  /** How far ahead a send may be scheduled, in milliseconds. */
  maxScheduleMs: number;
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

/** A request that may be accepted, with all that was found for it. */
export interface Sendable {
  email: EmailVersion;
  integration: Integration;
  checked: CheckedSend;
}

/**
 * Checks a request to send as a whole, or finds the send that was accepted before under its idempotency
 * key, whatever became of its template since.
 *
 * @throws {HttpError}
 */
export async function findSendable(
  command: SendCommand,
  deps: FindSendableDeps,
): Promise<Sendable | { earlier: Send }> {
  const { ledger, quota } = deps;
  const { accountId, idempotency } = command;
  const loading = quota.load(accountId);
  const [earlier, email, integration] = await Promise.all([
    idempotency === undefined ? null : ledger.findSendByIdempotencyKey(accountId, idempotency.key),
    findTemplate(command, ledger),
    findIntegration(command, ledger),
    loading && ledger.wait("look up the account's usage", () => loading),
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
    latestPdfVersion: (ref) => ledger.latestPdfVersion(accountId, ref),
    findAssetName: (name) => ledger.findAssetName(accountId, name),
    schedule: { now: deps.now(), maxScheduleMs: deps.maxScheduleMs },
  });
  quota.admit(accountId, ledger.bytes);
  return { email, integration, checked };
}

async function findTemplate(
  { accountId, templateId }: SendCommand,
  ledger: FindSendableDeps["ledger"],
): Promise<EmailVersion | null> {
  return isIdOrAlias(templateId) ? await ledger.latestEmailVersion(accountId, templateId) : null;
}

async function findIntegration(
  { accountId, integrationId }: SendCommand,
  ledger: FindSendableDeps["ledger"],
): Promise<Integration | null> {
  const id = readPathId(integrationId);
  const found = id === undefined ? null : await ledger.findIntegration(accountId, id);
  // Anyone who removed it wants no new mail to go by it.
  return found === null || found.archivedAt ? null : found;
}

function unknown(
  code: "unknown_template" | "unknown_integration",
  kind: string,
  id: string,
): HttpError {
  return new HttpError(code, `Cannot accept the send: there is no ${kind} "${id}"`);
}
