import { failpoint } from "@posthaste/runtime";
import { injectTrace } from "@posthaste/telemetry";
import type { FastifyInstance } from "fastify";
import { acceptSend, type AcceptSendDeps } from "../accept_send.ts";
import { type AuditDeps, toSuppressedAudit } from "../audit.ts";
import { requireScope } from "../authenticate.ts";
import { idempotencyOf } from "../idempotency.ts";

/** Adds `POST /templates/{templateId}/send/{integrationId}` (docs/interface.md, section 4.2). */
export function sendRoute(
  app: FastifyInstance,
  deps: Omit<AcceptSendDeps, "store" | "auditToSuppressed"> & AuditDeps,
): void {
  app.post<{ Params: { templateId: string; integrationId: string } }>(
    "/templates/:templateId/send/:integrationId",
    { onRequest: requireScope("send") },
    async (request, reply) => {
      const { caller, params, body, store } = request;
      const idempotency = idempotencyOf(request);
      const { answer, replayed } = await acceptSend({
        accountId: caller.accountId,
        limits: caller,
        templateId: params.templateId,
        integrationId: params.integrationId,
        body,
        idempotency,
        trace: injectTrace().traceparent,
      }, {
        ...{ ...deps, store },
        auditToSuppressed: toSuppressedAudit(deps, request),
      });
      if (idempotency !== undefined) reply.header("idempotent-replayed", String(replayed));
      failpoint("api.before_answer");
      return answer;
    },
  );
}
