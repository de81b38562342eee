import { DRY_RUN_QUERY } from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import { dryRun, type DryRunDeps } from "../dry_run.ts";
import { httpErrorOf } from "../fault.ts";

/**
 * Adds `POST /templates/{templateId}/send/{integrationId}/dry-run`: shows what a send would
 * produce.
 */
export function dryRunRoute(app: FastifyInstance, deps: Omit<DryRunDeps, "store">): void {
  app.post<{ Params: { templateId: string; integrationId: string } }>(
    "/templates/:templateId/send/:integrationId/dry-run",
    { onRequest: requireScope("send") },
    async ({ caller, params, query, body, store }) => {
      const { data, error } = DRY_RUN_QUERY.safeParse(query, BODY_PARSING);
      if (error !== undefined) throw httpErrorOf("try the send", bodyIssues(error));
      const command = { accountId: caller.accountId, limits: caller, ...params, body };
      return await store.keepBody(dryRun(command, data.recipients ?? [0], { ...deps, store }));
    },
  );
}
