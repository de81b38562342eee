import { type Message, parseMessageId, type Send, type TimelineEntry } from "@posthaste/contracts";
import { Refusal } from "@posthaste/http";
import type { MessagePlace } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";

/** `GET /messages/{id}`: where one recipient's mail stands, and how it came there. */
export function messageRoute(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(
    "/messages/:id",
    { onRequest: requireScope("read") },
    async ({ caller: { accountId }, params: { id }, ledger }) => {
      const parts = parseMessageId(id);
      if (parts !== undefined) {
        const message = await ledger.findMessage(accountId, id);
        if (message !== null) {
          const places = await ledger.findPlaces(accountId, [message]);
          return show(message, places.get(id));
        }
        const send = await ledger.findSend(accountId, parts.sendId);
        const recipient = send?.request.to[parts.index];
        if (send && recipient) return showQueued(id, { send, email: recipient.email });
      }
      throw new Refusal("unknown_message", `Cannot show the message: there is no "${id}"`);
    },
  );
}

function show(message: Message, waiting: MessagePlace | undefined) {
  const { _id: id, sendId, email, state, attempt, acceptedAt, finishedAt } = message;
  const { nextAt, reason, reply, timeline } = message;
  const head = { id, sendId, email, state, attempt, acceptedAt, finishedAt };
  return {
    ...head,
    ...{ nextAt, reason, reply, waiting: waiting ?? null },
    timeline: timeline.map(inWholeMs),
  };
}

/** Stages measure more precisely than anybody reads. */
function inWholeMs(entry: TimelineEntry): TimelineEntry {
  const { durationMs } = entry;
  return durationMs === undefined ? entry : { ...entry, durationMs: Math.round(durationMs) };
}

/** A message without a document is one that nobody touched yet. */
function showQueued(id: string, { send, email }: { send: Send; email: string }) {
  const { _id: sendId, acceptedAt } = send;
  const at = { acceptedAt, finishedAt: null, nextAt: null };
  const nothing = { reason: null, reply: null, waiting: null, timeline: [] };
  return { id, sendId, email, state: "queued", attempt: 0, ...at, ...nothing };
}
