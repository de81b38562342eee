import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import type { StorePart } from "@posthaste/storage";
import { showSend } from "../show_send.ts";

/** Adds `GET /sends/{id}`: shows an accepted send, with the state of each of its messages. */
export function sendStateRoute(
  app: FastifyInstance,
  { messages }: StorePart<"messages.groupReasons">,
): void {
  app.get<{ Params: { id: string } }>(
    "/sends/:id",
    { onRequest: requireScope("read") },
    ({ caller: { accountId }, params: { id }, store }) =>
      showSend(id, { accountId, store, messages }),
  );
}
