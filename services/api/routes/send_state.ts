import {
  isSendId,
  isTerminal,
  labelsOf,
  type Message,
  messageIdOf,
  type MessageState,
  type Send,
} from "@posthaste/contracts";
import { HttpError } from "../http_error.ts";
import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";

/** `GET /sends/{id}`: an accepted send, with the state of each of its messages. */
export function sendStateRoute(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(
    "/sends/:id",
    { onRequest: requireScope("read") },
    async ({ caller: { accountId }, params: { id }, ledger }) => {
      const send = isSendId(id) ? await ledger.findSend(accountId, id) : null;
      if (send === null) {
        throw new HttpError("unknown_send", `Cannot show the send: there is no "${id}"`);
      }
      return show(send, await ledger.listMessages(accountId, id) ?? []);
    },
  );
}

function show(send: Send, documents: readonly Message[]) {
  const { _id: id, acceptedAt, template, integrationId, messageCount, settledAt, request } = send;
  const stateOf = new Map(documents.map(({ index, state }) => [index, state]));
  const states: Partial<Record<MessageState, number>> = {};
  const messages = request.to.map(({ email }, index) => {
    // A message without a document is one that nobody touched yet.
    const state = stateOf.get(index) ?? "queued";
    states[state] = (states[state] ?? 0) + 1;
    return { id: messageIdOf(id, index), email, state };
  });
  // By the messages that were just read: that it is settled is noted in the ledger half a minute later.
  const settled = settledAt !== null || messages.every(({ state }) => isTerminal(state));
  const head = { id, acceptedAt, template, integrationId, messageCount, settled, settledAt };
  return { ...head, ...labelsOf(request), states, messages };
}
