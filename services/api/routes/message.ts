import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import { showMessage } from "../show_message.ts";

/** Adds `GET /messages/{id}`: shows the state of one recipient's mail, and its history. */
export function messageRoute(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(
    "/messages/:id",
    { onRequest: requireScope("read") },
    ({ caller: { accountId }, params: { id }, store }) =>
      showMessage(id, { accountId, store, action: "show" }),
  );
}
