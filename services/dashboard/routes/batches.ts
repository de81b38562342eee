import { type Batch, BATCH_STATES, isBatchId } from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { audit } from "../audit.ts";
import { batchViewer } from "../batch_view.ts";
import { HttpError } from "../http_error.ts";
import type { BatchList, BatchRow, BatchSends, BatchView } from "../interface/batches.ts";
import { readInput } from "../read_input.ts";
import type { Routing } from "../routing.ts";
import type { Principal } from "../session.ts";

const PAGE = 50;

/** How long the messages of a batch are counted, in milliseconds. */
const COUNT_MS = 2000;

const VIEWER = { config: { role: "viewer" } } as const;
const EDITOR = { config: { role: "editor" } } as const;

const before = z.string().max(100).optional();
const LIST = z.object({ state: z.enum(BATCH_STATES).optional(), before });
const SENDS = z.object({ before });

type WithId = { Params: { id: string } };

/** Adds the routes of batches: viewing, closing and canceling them. */
export function batchRoutes(app: FastifyInstance, { deps }: Routing): void {
  const { store, now } = deps;

  app.get("/api/batches", VIEWER, async ({ principal, query }): Promise<BatchList> => {
    const { accountId } = principal;
    const filter = readInput(LIST, query);
    // One more item shows whether there is another page.
    const [found, show] = await Promise.all([
      store.batches.list(accountId, { ...filter, limit: PAGE + 1 }),
      batchViewer(accountId, store),
    ]);
    const rows = found.slice(0, PAGE).map(show);
    return { rows, next: found.length > PAGE ? rows.at(-1)?.id ?? null : null };
  });

  app.get<WithId>(
    "/api/batches/:id",
    VIEWER,
    async ({ principal: { accountId }, params: { id } }): Promise<BatchView> => {
      const batch = await find(accountId, id);
      const [show, { states, isSettled, isCut }] = await Promise.all([
        batchViewer(accountId, store),
        store.batches.count(accountId, id, COUNT_MS),
      ]);
      return { ...show(batch), states, isSettled: batch.state !== "open" && isSettled, isCut };
    },
  );

  app.get<WithId>(
    "/api/batches/:id/sends",
    VIEWER,
    async ({ principal: { accountId }, params: { id }, query }): Promise<BatchSends> => {
      const page = { ...readInput(SENDS, query), limit: PAGE };
      await find(accountId, id);
      const { sends, next } = await store.sends.search(accountId, { batchId: id }, page);
      const rows = sends.map(({ _id, acceptedAt, messageCount, settledAt }) => ({
        ...{ id: _id, acceptedAt: acceptedAt.toISOString(), recipients: messageCount },
        settledAt: settledAt?.toISOString() ?? null,
      }));
      return { rows, next };
    },
  );

  app.post<WithId>(
    "/api/batches/:id/close",
    EDITOR,
    async ({ principal, params: { id } }): Promise<BatchRow> => {
      const { accountId } = principal;
      const batch = await find(accountId, id);
      const closed = await store.batches.close(accountId, id, now()) ?? batch;
      if (closed.state === "canceled") {
        throw new HttpError("conflict", "Cannot close the batch: it is canceled");
      }
      if (batch.state === "open") await note(principal, "closed", closed);
      const show = await batchViewer(accountId, store);
      return show(closed);
    },
  );

  app.post<WithId>(
    "/api/batches/:id/cancel",
    EDITOR,
    async ({ principal, params: { id } }): Promise<BatchRow> => {
      const { accountId } = principal;
      const batch = await find(accountId, id);
      const show = await batchViewer(accountId, store);
      if (batch.state === "canceled") return show(batch);
      const canceled = await store.batches.cancel(accountId, id, now()) ?? batch;
      await note(principal, "canceled", canceled);
      return show(canceled);
    },
  );

  async function find(accountId: string, id: string): Promise<Batch> {
    const found = isBatchId(id) ? await store.batches.find(accountId, id) : null;
    if (found === null) throw new HttpError("not_found", `There is no batch "${id}"`);
    return found;
  }

  async function note(principal: Principal, verb: string, { _id, recipients }: Batch) {
    await audit({ ...store, now }, principal, {
      ...{ action: `batch.${verb}`, target: `batch ${_id}`, details: { recipients } },
    });
  }
}
