import { EXPLAIN_QUERY } from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import { explainMessage } from "../explain_message.ts";
import { httpErrorOf } from "../fault.ts";

/** Adds `GET /messages/{id}/explain`: shows where each variable of a mail came from. */
export function messageExplainRoute(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(
    "/messages/:id/explain",
    { onRequest: requireScope("read:content") },
    async ({ caller: { accountId }, params: { id }, query, ledger }) => {
      const { data, error } = EXPLAIN_QUERY.safeParse(query, BODY_PARSING);
      if (error !== undefined) throw httpErrorOf("explain the message", bodyIssues(error));
      return await explainMessage(id, { accountId, ledger, withValues: data.values === "true" });
    },
  );
}
