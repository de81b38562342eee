import { type Message, RETRY_BODY, RETRY_ONE_BODY, RETRYABLE_STATES } from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import { HttpError } from "../http_error.ts";
import {
  BULK_SEARCH_MS,
  bulkRetry,
  ContentRemovedError,
  type MessageFilter,
  type RetryOptions,
  type StorePart,
} from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import type { z } from "zod";
import { requireScope } from "../authenticate.ts";
import { audit, type AuditDeps } from "../audit.ts";
import { httpErrorOf } from "../fault.ts";
import type { KnownTo } from "../known_to.ts";
import { requireChange, requireMail } from "../require_change.ts";
import { showMessage } from "../show_message.ts";

const ACTION = "retry the messages";
const SCOPE = { onRequest: requireScope("manage:messages") };

/** What retrying messages needs. */
export type RetryDeps =
  & StorePart<"batches.find" | "messages.retry" | "messages.search">
  & AuditDeps;

/** Adds `POST /messages/{id}/retry` and `/messages/retry`. */
export function retryRoutes(app: FastifyInstance, deps: RetryDeps): void {
  app.post<{ Params: { id: string } }>(
    "/messages/:id/retry",
    SCOPE,
    async (request) => {
      const { caller, params: { id }, body, store } = request;
      const { accountId } = caller;
      const { acceptDuplicates = false } = read(RETRY_ONE_BODY, body ?? {});
      const asked = { accountId, store, action: "retry" };
      const before = await showMessage(id, asked);
      requireMail(caller, before);
      const { state } = before;
      if (state === "unknown" && !acceptDuplicates) throw mayBeThere();
      // It may become unknown in between.
      const states = RETRYABLE_STATES.filter((one) => acceptDuplicates || one !== "unknown");
      store.allow(BULK_SEARCH_MS);
      const retried = await store.wait(
        ACTION,
        () => retryOne(deps, { accountId, id, now: deps.now(), states }),
      );
      if (retried instanceof ContentRemovedError) {
        throw new HttpError("content_removed", retried.message);
      }
      if (retried !== null) {
        await audit(deps, request, { action: "message.retried", target: `message ${id}` });
        return await showMessage(id, asked);
      }
      throw new HttpError("not_retryable", `Cannot retry the message "${id}": it is ${state}`);
    },
  );

  app.post(
    "/messages/retry",
    SCOPE,
    async (request) => {
      const { caller, body, store } = request;
      const { accountId } = caller;
      const asked = read(RETRY_BODY, body);
      await requireChange(caller, asked, { ...deps, store, action: ACTION });
      const { acceptDuplicates, state, reason, code, enhanced, ...rest } = asked;
      const sameName: KnownTo<MessageFilter, typeof rest> = rest;
      if (state === "unknown" && !acceptDuplicates) throw mayBeThere();
      const filter = { ...sameName, states: [state], because: { reason, code, enhanced } };
      store.allow(3 * BULK_SEARCH_MS);
      const done = await store.wait(ACTION, () => bulkRetry(accountId, filter, deps));
      if (done.retried > 0) {
        const { sendId } = rest;
        const target = sendId === undefined ? "messages with one cause" : `send ${sendId}`;
        const details = { state, messages: done.retried };
        await audit(deps, request, { action: "message.retried", target, details });
      }
      return done;
    },
  );
}

/** Retries one message. Removed content is an answer, not a failure of the ledger. */
async function retryOne(
  { messages }: StorePart<"messages.retry">,
  { accountId, id, ...options }: RetryOptions & { accountId: string; id: string },
): Promise<Message | ContentRemovedError | null> {
  try {
    return await messages.retry(accountId, id, options);
  } catch (error) {
    if (error instanceof ContentRemovedError) return error;
    throw error;
  }
}

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body, BODY_PARSING);
  if (error !== undefined) throw httpErrorOf(ACTION, bodyIssues(error));
  return data;
}

/** The server may have the mail: a retry must accept duplicates explicitly. */
function mayBeThere(): HttpError {
  const message = "must be true: the server may have the mail already";
  return httpErrorOf(ACTION, [{ path: "acceptDuplicates", code: "required", message }]);
}
