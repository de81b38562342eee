import { EXPLAIN_QUERY } from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import type { FastifyInstance } from "fastify";
import { type AuditDeps, auditRead } from "../audit.ts";
import { requireScope } from "../authenticate.ts";
import { explainMessage } from "../explain_message.ts";
import { httpErrorOf } from "../fault.ts";

/** Adds `GET /messages/{id}/explain`: shows where each variable of a mail came from. */
export function messageExplainRoute(app: FastifyInstance, deps: AuditDeps): void {
  app.get<{ Params: { id: string } }>(
    "/messages/:id/explain",
    { onRequest: requireScope("read:content") },
    async (request) => {
      const { caller: { accountId }, params: { id }, query, store } = request;
      const { data, error } = EXPLAIN_QUERY.safeParse(query, BODY_PARSING);
      if (error !== undefined) throw httpErrorOf("explain the message", bodyIssues(error));
      const withValues = data.values === "true";
      const explanation = await explainMessage(id, { accountId, store, withValues });
      if (withValues) await auditRead(deps, request, { id, details: { values: true } });
      return explanation;
    },
  );
}
