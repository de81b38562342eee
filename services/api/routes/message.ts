import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import { showMessage } from "../show_message.ts";

/** `GET /messages/{id}`: where one recipient's mail stands, and how it came there. */
export function messageRoute(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(
    "/messages/:id",
    { onRequest: requireScope("read") },
    ({ caller: { accountId }, params: { id }, ledger }) =>
      showMessage(id, { accountId, ledger, action: "show" }),
  );
}
