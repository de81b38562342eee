import { z } from "zod";
import { aliasSchema } from "./alias.ts";
import { LIST_QUERY } from "./list.ts";
import { publishedStateSchema } from "./message_state.ts";
import {
  DEFAULT_SEND_LIMITS,
  sendBodySchema,
  type SendLimits,
  type SendRequest,
} from "./send_request.ts";

/** The states of a batch. Recipients are added while it is `open`. */
export const BATCH_STATES = ["open", "closed", "canceled"] as const;

/** A state of a batch. */
export type BatchState = (typeof BATCH_STATES)[number];

/** When the mail of a batch leaves: when the batch is closed, or as soon as it is accepted. */
const BATCH_STARTS = ["close", "now"] as const;

/** The most recipients of a batch. */
export const MAX_BATCH_RECIPIENTS = 1_000_000;

/** The most sends of a batch: requests that add recipients. */
export const MAX_BATCH_SENDS = 10_000;

/** The most open batches of an account. */
export const MAX_OPEN_BATCHES = 100;

/** The most PDF templates that one batch uses. */
export const MAX_BATCH_PDFS = 100;

/** The largest size of what all sends of a batch share, in bytes of JSON: each of them stores it. */
export const MAX_BATCH_SHARED_BYTES = 256 * 1024;

/** How long a batch stays open, in milliseconds: 24 hours. */
export const BATCH_OPEN_MS = 24 * 3_600_000;

/** A PDF template of a batch, pinned when a request first named it. */
export interface PinnedPdf {
  /** Its id or alias, as requests name it. */
  ref: string;
  id: number;
  version: number;
}

/** Many sends under one id. They share the template, the integration and the top of the request. */
export interface Batch {
  /** `bat_` and a ULID. */
  _id: string;
  accountId: string;
  createdAt: Date;
  state: BatchState;
  start: (typeof BATCH_STARTS)[number];
  /** The time that its sends are scheduled for. */
  notBefore?: Date;
  template: { id: number; version: number };
  integrationId: number;
  /** What its sends share, apart from their recipients. It is removed when the batch ends. */
  request?: Omit<SendRequest, "to">;
  pdfs: PinnedPdf[];
  /** Accepted recipients. */
  recipients: number;
  /** Accepted sends. */
  sends: number;
  /** When it is closed or canceled at the latest. */
  closesAt: Date;
  /** When it was closed or canceled; null while it is open. */
  endedAt: Date | null;
  /** When the tracker works on it next; missing if there is nothing to do. */
  dueAt?: Date;
  /** The last send that the tracker has released or canceled since the batch ended. */
  progress?: string;
}

/** Makes the schema of the body of `POST /v1/batches`. */
export function batchBodySchema(limits: SendLimits = DEFAULT_SEND_LIMITS) {
  return sendBodySchema(limits).omit({ to: true }).extend({
    templateId: z.union([z.int().positive(), aliasSchema], {
      error: ({ input }) =>
        input === undefined ? "is required" : "must be the id or the alias of an email template",
    }),
    integrationId: z.int().positive(),
    /** @default {"close"} */
    start: z.enum(BATCH_STARTS).optional(),
  });
}

/** Body of `POST /v1/batches`. */
export type BatchBody = z.infer<ReturnType<typeof batchBodySchema>>;

/** Makes the schema of the body of `POST /v1/batches/{id}/recipients`. */
export function batchRecipientsSchema(limits: SendLimits = DEFAULT_SEND_LIMITS) {
  return sendBodySchema(limits).pick({ to: true });
}

/** The filters of `GET /batches`. */
export const BATCH_FILTERS = {
  state: z.enum(BATCH_STATES, { error: `must be one of ${BATCH_STATES.join(", ")}` }).optional(),
};

/** Query of `GET /v1/batches`. */
export const BATCH_LIST_QUERY = z.strictObject({ ...BATCH_FILTERS, ...LIST_QUERY });

const timeSchema = z.iso.datetime();

/** A batch without the states of its messages. */
export const batchSchema = z.strictObject({
  id: z.string(),
  state: z.enum(BATCH_STATES),
  start: z.enum(BATCH_STARTS),
  createdAt: timeSchema,
  /** When it is closed (`start` is `now`) or canceled at the latest. */
  closesAt: timeSchema,
  /** When it was closed or canceled; null while it is open. */
  endedAt: timeSchema.nullable(),
  /** The time that its sends are scheduled for; null if there is none. */
  sendAt: timeSchema.nullable(),
  template: z.strictObject({ id: z.int(), version: z.int() }),
  integrationId: z.int(),
  recipients: z.int().nonnegative(),
  sends: z.int().nonnegative(),
});

/** Answer to `GET /v1/batches/{id}`. */
export const batchDetailSchema = batchSchema.extend({
  /** How many messages are in each state that occurs. */
  states: z.partialRecord(publishedStateSchema, z.int()),
  /** Whether it has ended, and every message is in a final state. */
  settled: z.boolean(),
  /** Counting ran out of time: `states` lacks some messages. */
  incomplete: z.literal(true).optional(),
});
