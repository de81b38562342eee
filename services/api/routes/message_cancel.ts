import { CANCEL_BODY, isSendId } from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import { HttpError } from "../http_error.ts";
import { BULK_SEARCH_MS, bulkCancel, type StorePart } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import { audit, type AuditDeps } from "../audit.ts";
import { httpErrorOf } from "../fault.ts";
import { requireChange, requireMail } from "../require_change.ts";
import { showMessage } from "../show_message.ts";

const ACTION = "cancel the messages";
const SCOPE = { onRequest: requireScope("manage:messages") };

/** What canceling messages needs. */
export type CancelDeps =
  & StorePart<
    | "batches.find"
    | "messages.cancel"
    | "messages.cancelSend"
    | "messages.cancelSome"
    | "messages.search"
  >
  & AuditDeps;

/** Adds `POST /messages/{id}/cancel`, `/sends/{id}/cancel` and `/messages/cancel`. */
export function cancelRoutes(app: FastifyInstance, deps: CancelDeps): void {
  app.post<{ Params: { id: string } }>(
    "/messages/:id/cancel",
    SCOPE,
    async (request) => {
      const { caller, params: { id }, store } = request;
      const { accountId } = caller;
      const asked = { accountId, store, action: "cancel" };
      const before = await showMessage(id, asked);
      requireMail(caller, before);
      if (before.state === "canceled") return before;
      store.allow(BULK_SEARCH_MS);
      const now = deps.now();
      const done = await store.wait(ACTION, () => deps.messages.cancel(accountId, id, now));
      if (done !== null) {
        await audit(deps, request, { action: "message.canceled", target: `message ${id}` });
      }
      const after = await showMessage(id, asked);
      if (after.state === "canceled") return after;
      throw new HttpError(
        "not_cancelable",
        `Cannot cancel the message "${id}": it is ${after.state}`,
      );
    },
  );

  app.post<{ Params: { id: string } }>(
    "/sends/:id/cancel",
    SCOPE,
    async (request) => {
      const { caller, params: { id }, store } = request;
      const { accountId } = caller;
      if (isSendId(id)) {
        await requireChange(caller, { sendId: id }, { ...deps, store, action: ACTION });
      }
      store.allow(BULK_SEARCH_MS);
      const now = deps.now();
      const done = isSendId(id)
        ? await store.wait("cancel the send", () => deps.messages.cancelSend(accountId, id, now))
        : null;
      if (done !== null) {
        const details = { messages: done.canceled };
        await audit(deps, request, { action: "send.canceled", target: `send ${id}`, details });
        return done;
      }
      throw new HttpError("unknown_send", `Cannot cancel the send: there is none "${id}"`);
    },
  );

  app.post(
    "/messages/cancel",
    SCOPE,
    async (request) => {
      const { caller, body, store } = request;
      const { accountId } = caller;
      const { data, error } = CANCEL_BODY.safeParse(body, BODY_PARSING);
      if (error !== undefined) throw httpErrorOf(ACTION, bodyIssues(error));
      await requireChange(caller, data.filter, { ...deps, store, action: ACTION });
      store.allow(3 * BULK_SEARCH_MS);
      const done = await store.wait(ACTION, () => bulkCancel(accountId, data.filter, deps));
      if (done.canceled > 0) {
        const details = { ...given(data.filter), messages: done.canceled };
        const target = "messages that a filter found";
        await audit(deps, request, { action: "message.canceled", target, details });
      }
      return done;
    },
  );
}

/** Returns the fields of a filter that are set. */
function given(filter: Record<string, string | number | undefined>) {
  const entries = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const]
  );
  return Object.fromEntries(entries);
}
