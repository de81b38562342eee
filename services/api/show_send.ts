import {
  isScheduled,
  isSendId,
  isTerminal,
  labelsOf,
  type Message,
  messageIdOf,
  type MessageState,
  type Send,
} from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import type { ReasonGroup, StorePart } from "@posthaste/storage";
import type { RequestStore } from "./request_store.ts";

/** Which send is requested. */
export interface AskedSend extends StorePart<"messages.groupReasons"> {
  accountId: string;
  store: Pick<RequestStore, "findSend" | "listMessages" | "wait">;
}

/** States that have a cause. */
const CAUSED = ["failed", "unknown", "deferred"] as const satisfies MessageState[];

/**
 * Returns a send in full, as `GET /sends/{id}` shows it.
 *
 * @throws {HttpError} `unknown_send`
 */
export async function showSend(id: string, { accountId, store, messages }: AskedSend) {
  const send = isSendId(id) ? await store.findSend(accountId, id) : null;
  if (send === null) {
    throw new HttpError("unknown_send", `Cannot show the send: there is no "${id}"`);
  }
  const documents = await store.listMessages(accountId, id) ?? [];
  const isCaused = documents.some(({ state }) => (CAUSED as readonly string[]).includes(state));
  const groups = isCaused
    ? await store.wait(
      "look up the causes",
      () => messages.groupReasons(accountId, { states: CAUSED, sendId: id }),
    )
    : [];
  return { ...show(send, documents), causes: groups.map(causeOf) };
}

function show(send: Send, documents: readonly Message[]) {
  const { _id: id, acceptedAt, template, integrationId, messageCount, settledAt, request } = send;
  const stateOf = new Map(documents.map(({ index, state }) => [index, state]));
  // A message without a document has not been handled yet.
  const untouched = isScheduled(send) ? "scheduled" : "queued";
  const states: Partial<Record<MessageState, number>> = {};
  const messages = request.to.map(({ email }, index) => {
    const state = stateOf.get(index) ?? untouched;
    states[state] = (states[state] ?? 0) + 1;
    return { id: messageIdOf(id, index), email, state };
  });
  // Decided by the messages just read: the ledger records `settledAt` up to half a minute later.
  const settled = settledAt !== null || messages.every(({ state }) => isTerminal(state));
  const head = { id, acceptedAt, template, integrationId, messageCount, settled, settledAt };
  const { notBefore: sendAt = null, batchId = null } = send;
  return { ...head, batchId, sendAt, ...labelsOf(request), states, messages };
}

function causeOf({ state, reason, code, enhanced, response, count, messageId }: ReasonGroup) {
  return { state, reason, code, enhanced, response, count, messageId };
}
