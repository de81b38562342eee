import type { StorePart } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { audit, type AuditDeps } from "../audit.ts";
import { requireScope } from "../authenticate.ts";
import { findBatch, showBatch } from "../batch.ts";
import { HttpError } from "../http_error.ts";
import { requireMail } from "../require_change.ts";

/** What ending a batch needs. */
export type BatchEndDeps =
  & StorePart<"batches.cancel" | "batches.close" | "batches.find">
  & AuditDeps;

/** Adds `POST /batches/{id}/close` and `/cancel`. The tracker does what follows. */
export function batchEndRoutes(app: FastifyInstance, deps: BatchEndDeps): void {
  const { batches, now } = deps;
  app.post<{ Params: { id: string } }>(
    "/batches/:id/close",
    { onRequest: requireScope("send") },
    async ({ caller, params: { id }, store }) => {
      const { accountId } = caller;
      const action = "close the batch";
      const batch = await findBatch(id, { ...deps, accountId, store, action });
      requireMail(caller, batch);
      const closed = await store.wait(action, () => batches.close(accountId, id, now())) ?? batch;
      if (closed.state === "canceled") {
        throw new HttpError("batch_closed", `Cannot ${action} "${id}": it is canceled`);
      }
      return showBatch(closed);
    },
  );

  app.post<{ Params: { id: string } }>(
    "/batches/:id/cancel",
    { onRequest: requireScope("manage:messages") },
    async (request) => {
      const { caller, params: { id }, store } = request;
      const { accountId } = caller;
      const action = "cancel the batch";
      const batch = await findBatch(id, { ...deps, accountId, store, action });
      requireMail(caller, batch);
      if (batch.state === "canceled") return showBatch(batch);
      const end = () => batches.cancel(accountId, id, now());
      const canceled = await store.wait(action, end) ?? batch;
      const details = { recipients: canceled.recipients };
      await audit(deps, request, { action: "batch.canceled", target: `batch ${id}`, details });
      return showBatch(canceled);
    },
  );
}
