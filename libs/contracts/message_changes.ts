import { z } from "zod";
import { sendAtSchema } from "./send_request.ts";
import { FILTER_TIME } from "./message_filters.ts";
import type { MessageState } from "./message_state.ts";

/** States in which a message can be sent again. */
export const RETRYABLE_STATES = [
  "failed",
  "unknown",
  "deferred",
  "suppressed",
] as const satisfies MessageState[];

const id = z.int().positive().optional();
const text = z.string().min(1).max(100).optional();

/** Body of `POST /v1/messages/cancel`: the messages. */
export const CANCEL_BODY = z.strictObject({
  filter: z.strictObject({
    ...{
      sendId: text,
      batchId: text,
      reference: text,
      tag: text,
      templateId: id,
      integrationId: id,
    },
  }).refine((filter) => Object.values(filter).some((value) => value !== undefined), {
    error: "must name at least one of sendId, batchId, reference, tag, templateId, integrationId",
  }),
});

const acceptDuplicates = z.boolean().optional();

/** Body of `PATCH /v1/sends/{id}`: when the send starts; `null` for now. */
export const SCHEDULE_BODY = z.strictObject({ sendAt: sendAtSchema.nullable() });

/** Body of `POST /v1/messages/{id}/retry`; it may be missing. */
export const RETRY_ONE_BODY = z.strictObject({ acceptDuplicates });

/** Body of `POST /v1/messages/retry`: the messages, by their cause. */
export const RETRY_BODY = z.strictObject({
  state: z.enum(RETRYABLE_STATES),
  reason: z.string().max(2000).nullable().optional(),
  code: z.int().nullable().optional(),
  enhanced: z.string().max(20).nullable().optional(),
  sendId: z.string().min(1).max(100).optional(),
  from: FILTER_TIME.optional(),
  acceptDuplicates,
});
