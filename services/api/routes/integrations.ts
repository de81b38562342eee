import type { IntegrationSummary } from "@posthaste/contracts";
import { HttpError } from "../http_error.ts";
import type { SummarizedIntegration } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { requireScope, requireUse } from "../authenticate.ts";
import { readPathId } from "../path_ids.ts";
import { listReader, pageOf } from "../read_list.ts";

/**
 * Adds `GET /integrations` and `GET /integrations/{id}`: list the integrations that mail can be
 * sent through, and their state.
 */
export function integrationsRoute(app: FastifyInstance, { now }: { now(): Date }): void {
  const options = { onRequest: requireScope("read") };
  const read = listReader("integrations", {});
  app.get("/integrations", options, async ({ caller, query, store }) => {
    const request = read(caller.accountId, query);
    const found = await store.listIntegrationSummaries(caller.accountId, {
      ...{ limit: request.limit + 1, after: Number(request.after ?? 0) },
      only: caller.integrations,
    }, now());
    return pageOf(found.map(summaryOf), request, ({ id }) => String(id));
  });
  app.get<{ Params: { id: string } }>(
    "/integrations/:id",
    options,
    async ({ caller, params, store }) => {
      const id = readPathId(params.id);
      const found = id === undefined
        ? null
        : await store.findIntegrationSummary(caller.accountId, id, now());
      if (found === null) {
        const reason = `there is none "${params.id}"`;
        throw new HttpError("unknown_integration", `Cannot show the integration: ${reason}`);
      }
      requireUse(caller, { integrationId: found.integration.id });
      return summaryOf(found);
    },
  );
}

function summaryOf(found: SummarizedIntegration): IntegrationSummary {
  const { integration: { id, name, senders }, state, reason, since, openUntil, waiting } = found;
  return {
    ...{ id, name, senders, state, reason, waiting },
    since: since?.toISOString() ?? null,
    openUntil: openUntil?.toISOString() ?? null,
    signsFor: found.signsFor,
  };
}
