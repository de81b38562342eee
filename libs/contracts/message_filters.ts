import { z } from "zod";
import { isMessageState, MESSAGE_STATES, TIMELINE_TYPES } from "./message_state.ts";

/** Names that are no states were allowed, too: they find nothing. */
const ALLOWED: ReadonlySet<string> = new Set(TIMELINE_TYPES);
const NUMBER_FAULT = "must be a whole number above 0";
const number = z.string().regex(/^[1-9]\d{0,8}$/, { error: NUMBER_FAULT }).transform(Number);
const TIME_FAULT = "must be a time such as 2026-01-02T03:04:05Z";

/** Schema of a time in requests. */
export const FILTER_TIME = z.iso.datetime({ offset: true, error: TIME_FAULT })
  .transform((text) => new Date(text));

/** The filters that lists of sends and of messages share. */
const SEND_FILTERS = {
  templateId: number.optional(),
  integrationId: number.optional(),
  reference: z.string().min(1).max(100).optional(),
  tag: z.string().min(1).max(64).optional(),
  batchId: z.string().min(1).max(100).optional(),
  from: FILTER_TIME.optional(),
  until: FILTER_TIME.optional(),
};

/** The filters of `GET /sends`. */
export const SEND_LIST_FILTERS = {
  ...SEND_FILTERS,
  settled: z.enum(["true", "false"], { error: "must be true or false" }).optional(),
};

/** The filters of `GET /messages`. */
export const MESSAGE_FILTERS = {
  ...SEND_FILTERS,
  state: z.string().transform((text) => text.split(","))
    .refine((names) => names.every((name) => ALLOWED.has(name)), {
      error: `must be of ${MESSAGE_STATES.join(", ")}, with commas`,
    }).transform((names) => names.filter(isMessageState)).optional(),
  sendId: z.string().min(1).max(100).optional(),
  email: z.string().trim().min(1).max(320).optional(),
  text: z.string().trim().min(1).max(200).optional(),
  reason: z.string().max(2000).optional(),
  code: number.optional(),
  enhanced: z.string().max(20).optional(),
};
