import { BATCH_FILTERS, type ListPage } from "@posthaste/contracts";
import type { BatchPage, StorePart } from "@posthaste/storage";
import { injectTrace } from "@posthaste/telemetry";
import type { FastifyInstance } from "fastify";
import { acceptRecipients, type AcceptRecipientsDeps } from "../accept_recipients.ts";
import { type AuditDeps, toSuppressedAudit } from "../audit.ts";
import { requireScope } from "../authenticate.ts";
import { findBatch, showBatch } from "../batch.ts";
import { createBatch, type CreateBatchDeps } from "../create_batch.ts";
import { HttpError } from "../http_error.ts";
import { idempotencyOf } from "../idempotency.ts";
import type { KnownTo } from "../known_to.ts";
import { listReader, pageOf } from "../read_list.ts";
import { SEARCH_MS } from "./message_list.ts";

const readList = listReader("batches", BATCH_FILTERS);

/** What the batch routes need. */
export type BatchDeps =
  & Omit<CreateBatchDeps, "store">
  & Omit<AcceptRecipientsDeps, "store" | "auditToSuppressed">
  & AuditDeps;

/** Adds `POST /batches` and `POST /batches/{id}/recipients`. */
export function batchRoutes(app: FastifyInstance, deps: BatchDeps): void {
  const scope = { onRequest: requireScope("send") };
  app.post("/batches", scope, async (request, reply) => {
    const { caller, body, store } = request;
    const { accountId } = caller;
    const idempotency = idempotencyOf(request);
    const { answer, replayed } = await createBatch(
      { accountId, limits: caller, body, idempotency },
      { ...deps, store },
    );
    if (idempotency !== undefined) reply.header("idempotent-replayed", String(replayed));
    return answer;
  });

  app.post<{ Params: { id: string } }>(
    "/batches/:id/recipients",
    scope,
    async (request, reply) => {
      const { caller, params, body, store } = request;
      const idempotency = idempotencyOf(request);
      if (idempotency === undefined) throw keyRequired();
      const { answer, replayed } = await acceptRecipients({
        ...{ accountId: caller.accountId, limits: caller, batchId: params.id, body, idempotency },
        trace: injectTrace().traceparent,
      }, { ...deps, store, auditToSuppressed: toSuppressedAudit(deps, request) });
      reply.header("idempotent-replayed", String(replayed));
      return answer;
    },
  );
}

/** Adds `GET /batches` and `GET /batches/{id}`. */
export function batchSearchRoutes(
  app: FastifyInstance,
  deps: StorePart<"batches.count" | "batches.find" | "batches.list">,
): void {
  const { batches } = deps;
  app.get(
    "/batches",
    { onRequest: requireScope("list") },
    async ({ caller: { accountId }, query, store }): Promise<ListPage<unknown>> => {
      const { filters, limit, after, cursorAfter } = readList(accountId, query);
      const sameName: KnownTo<BatchPage, typeof filters> = filters;
      const page = { ...sameName, limit: limit + 1, before: after };
      store.allow(SEARCH_MS);
      const found = await store.wait("list the batches", () => batches.list(accountId, page));
      const { data, next } = pageOf(found, { limit, cursorAfter }, ({ _id }) => _id);
      return { data: data.map(showBatch), next };
    },
  );

  app.get<{ Params: { id: string } }>(
    "/batches/:id",
    { onRequest: requireScope("read") },
    async ({ caller: { accountId }, params: { id }, store }) => {
      const batch = await findBatch(id, { ...deps, accountId, store, action: "show the batch" });
      store.allow(SEARCH_MS);
      const { states, isSettled, isCut } = await store.wait(
        "count the messages",
        () => batches.count(accountId, id, SEARCH_MS),
      );
      const settled = batch.state !== "open" && isSettled;
      return { ...showBatch(batch), states, settled, ...(isCut ? { incomplete: true } : {}) };
    },
  );
}

function keyRequired(): HttpError {
  const message = "is required, so that a repeated request adds nobody twice";
  return new HttpError(
    "idempotency_key_required",
    `Cannot add the recipients: Idempotency-Key: ${message}`,
    { issues: [{ path: "Idempotency-Key", code: "required", message }] },
  );
}
