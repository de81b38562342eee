import {
  type AccessToken,
  type Batch,
  BATCH_OPEN_MS,
  type BatchBody,
  type Issue,
  MAX_BATCH_SHARED_BYTES,
  newId,
} from "@posthaste/contracts";
import { type BatchCreation, type StorePart, TooManyBatchesError } from "@posthaste/storage";
import { requireUse } from "./authenticate.ts";
import { sharedBytes, showBatch } from "./batch.ts";
import type { ByteQuota } from "./byte_quota.ts";
import { checkSend } from "./check_send.ts";
import { httpErrorOf } from "./fault.ts";
import { findIntegration, type FindSendableDeps, findTemplate } from "./find_sendable.ts";
import { HttpError } from "./http_error.ts";
import type { Idempotency } from "./idempotency.ts";
import type { RequestStore } from "./request_store.ts";

/** What {@linkcode createBatch} needs. */
export interface CreateBatchDeps
  extends
    Pick<FindSendableDeps, "now" | "maxScheduleMs">,
    StorePart<"batches.create" | "batches.findCreated"> {
  store: FindSendableDeps["store"] & Pick<RequestStore, "keepAssets">;
  quota: Pick<ByteQuota, "load" | "admit">;
  /** Reads a body within the limits. */
  readBatchBody(body: unknown): { request: BatchBody } | { faults: Issue[] };
}

/** A request to open a batch, by a token's account. */
export interface BatchCommand {
  accountId: string;
  /** What the token may do. */
  limits: Pick<AccessToken, "templates" | "integrations" | "scopes">;
  /** As parsed from JSON, unchecked. */
  body: unknown;
  idempotency: Idempotency | undefined;
}

const ACTION = "create the batch";

/**
 * Opens a batch: checks what its sends share, and pins the template's version. A request whose idempotency key was
 * used before gets the same batch.
 *
 * @throws {HttpError} with nothing created.
 */
export async function createBatch(command: BatchCommand, deps: CreateBatchDeps) {
  const { accountId, idempotency } = command;
  const { store, batches } = deps;
  if (idempotency !== undefined) {
    const earlier = await store.wait(
      "look up the idempotency key",
      () => batches.findCreated(accountId, idempotency),
    );
    if (earlier !== null) return answerOf(earlier, idempotency);
  }
  const batch = await checkBatch(command, deps);
  const created = await store.wait(ACTION, () => createWithin(batch, command, deps));
  if (created !== "too_many") return answerOf(created, idempotency);
  throw new HttpError(
    "too_many_batches",
    `Cannot ${ACTION}: too many are open. Close or cancel one first`,
  );
}

/** Creates a batch. That too many are open is no failure of the ledger. */
async function createWithin(
  batch: Batch,
  { idempotency }: BatchCommand,
  { batches }: CreateBatchDeps,
): Promise<BatchCreation | "too_many"> {
  try {
    return await batches.create(batch, idempotency);
  } catch (error) {
    if (error instanceof TooManyBatchesError) return "too_many";
    throw error;
  }
}

function answerOf(created: BatchCreation, idempotency: Idempotency | undefined) {
  if (created.batch !== null) {
    return { answer: showBatch(created.batch), replayed: created.replayed };
  }
  throw new HttpError(
    "idempotency_mismatch",
    `Cannot ${ACTION}: the idempotency key "${idempotency?.key}" was used with another request`,
  );
}

async function checkBatch(command: BatchCommand, deps: CreateBatchDeps): Promise<Batch> {
  const { accountId, limits } = command;
  const { store, quota } = deps;
  const read = deps.readBatchBody(command.body);
  if ("faults" in read) throw httpErrorOf(ACTION, read.faults);
  const { templateId, integrationId, start = "close", ...shared } = read.request;
  const loading = quota.load(accountId);
  const [email, integration, locale] = await Promise.all([
    findTemplate({ accountId, templateId: String(templateId) }, store),
    findIntegration({ accountId, integrationId: String(integrationId) }, store),
    store.accountLocale(accountId),
    loading && store.wait("look up the account's usage", () => loading),
  ]);
  if (email === null) throw unknown("unknown_template", "email template", templateId);
  if (integration === null) throw unknown("unknown_integration", "integration", integrationId);
  requireUse(limits, { templateId: email.templateId, integrationId });
  const { from, variables, sendAt } = shared;
  const createdAt = deps.now();
  const { request: { to: _none, ...request }, needed, notBefore } = await checkSend({
    ...{ request: { ...shared, to: [] }, faults: [] },
    readable: { from, variables, locale: shared.locale, sendAt, to: [] },
  }, {
    ...{ action: ACTION, email, integration, locale, scopes: limits.scopes },
    latestPdfVersion: () => Promise.resolve(null),
    findAssetName: (name) => store.findAssetName(accountId, name),
    schedule: { now: createdAt, maxScheduleMs: deps.maxScheduleMs },
  });
  if (sharedBytes(request) > MAX_BATCH_SHARED_BYTES) throw httpErrorOf(ACTION, [TOO_LARGE]);
  quota.admit(accountId, store.bytes);
  if (needed.length > 0) await store.keepAssets(accountId, needed, createdAt);
  const closesAt = new Date(createdAt.getTime() + BATCH_OPEN_MS);
  return {
    ...{ _id: newId("bat", createdAt), accountId, createdAt, state: "open", start },
    ...(notBefore === undefined ? {} : { notBefore }),
    template: { id: email.templateId, version: email.version },
    ...{ integrationId, request, pdfs: [], recipients: 0, sends: 0 },
    ...{ closesAt, endedAt: null, dueAt: closesAt },
  };
}

const TOO_LARGE: Issue = {
  path: "",
  code: "too_long",
  message: `must not have more than ${MAX_BATCH_SHARED_BYTES} bytes, apart from its files`,
};

function unknown(
  code: "unknown_template" | "unknown_integration",
  kind: string,
  id: string | number,
): HttpError {
  return new HttpError(code, `Cannot ${ACTION}: there is no ${kind} "${id}"`);
}
