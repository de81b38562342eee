import { isSendId, SCHEDULE_BODY } from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import { HttpError } from "../http_error.ts";
import type { StorePart } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import { audit, type AuditDeps } from "../audit.ts";
import { httpErrorOf } from "../fault.ts";
import { requireMail } from "../require_change.ts";
import { readSendAt } from "../send_at.ts";
import { showSend } from "../show_send.ts";

const ACTION = "schedule the send";

/** What {@linkcode scheduleRoute} needs. */
export interface ScheduleDeps
  extends StorePart<"messages.groupReasons" | "waiting.rescheduleSend">, AuditDeps {
  /** How far ahead a send may be scheduled, in milliseconds. */
  maxScheduleMs: number;
}

/** Adds `PATCH /sends/{id}`: changes when a scheduled send starts. */
export function scheduleRoute(app: FastifyInstance, deps: ScheduleDeps): void {
  app.patch<{ Params: { id: string } }>(
    "/sends/:id",
    { onRequest: requireScope("manage:messages") },
    async (request) => {
      const { caller, params: { id }, body, store } = request;
      const { accountId } = caller;
      const send = isSendId(id) ? await store.findSend(accountId, id) : null;
      if (send === null) {
        throw new HttpError("unknown_send", `Cannot ${ACTION}: there is none "${id}"`);
      }
      requireMail(caller, send);
      const at = startIn(body, deps);
      const isDone = await store.wait(
        ACTION,
        () => deps.waiting.rescheduleSend(accountId, id, at),
      );
      if (!isDone) {
        const reason = "it is not scheduled, or has been started";
        throw new HttpError("not_scheduled", `Cannot ${ACTION} "${id}": ${reason}`);
      }
      const details = { sendAt: at.toISOString() };
      await audit(deps, request, { action: "send.rescheduled", target: `send ${id}`, details });
      return await showSend(id, { accountId, store, ...deps });
    },
  );
}

/**
 * Reads the new start from the body.
 *
 * @throws {HttpError} `invalid_request`
 */
function startIn(body: unknown, { now: clock, maxScheduleMs }: ScheduleDeps): Date {
  const { data, error } = SCHEDULE_BODY.safeParse(body, BODY_PARSING);
  if (error !== undefined) throw httpErrorOf(ACTION, bodyIssues(error));
  const now = clock();
  const read = data.sendAt === null ? { at: null } : readSendAt(data.sendAt, {
    ...{ now, maxScheduleMs },
  });
  if ("fault" in read) throw httpErrorOf(ACTION, [read.fault]);
  return read.at ?? now;
}
