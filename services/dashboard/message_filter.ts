import { isMessageState, parseMessageId } from "@posthaste/contracts";
import type { MessageFilter } from "@posthaste/storage";
import { z } from "zod";
import { readInput } from "./read_input.ts";

const number = z.coerce.number({ error: "must be a number" }).int().positive();
const time = z.iso.datetime({ error: "must be a time" }).transform((text) => new Date(text));

const querySchema = z.object({
  state: z.string().transform((text) => text.split(",").filter(Boolean))
    .refine((names) => names.every(isMessageState), {
      error: "must be message states",
    }).optional(),
  template: number.optional(),
  integration: number.optional(),
  send: z.string().max(100).optional(),
  batch: z.string().max(100).optional(),
  email: z.string().trim().min(1).max(320).optional(),
  from: time.optional(),
  until: time.optional(),
  text: z.string().trim().min(1).max(200).optional(),
  reason: z.string().max(2000).optional(),
  code: number.optional(),
  enhanced: z.string().max(20).optional(),
  before: z.string().max(100).optional(),
});

/**
 * Reads filters of messages from the parameters of a query; empty ones are ignored.
 *
 * @throws {HttpError} `invalid_request`
 */
export function readMessageQuery(query: unknown): {
  filter: MessageFilter;
  before: string | undefined;
} {
  const given = Object.entries(query as Record<string, unknown>)
    .filter(([, value]) => value !== "");
  const read = readInput(querySchema, Object.fromEntries(given));
  const { state, template, integration, send, batch, email, before, reason, code, enhanced } = read;
  const filter: MessageFilter = {
    states: state?.length ? state : undefined,
    templateId: template,
    integrationId: integration,
    ...{ sendId: send, batchId: batch },
    ...(email === undefined ? {} : whoseOf(email)),
    ...{ from: read.from, until: read.until, text: read.text },
    because: reason === undefined
      ? undefined
      : { reason, code: code ?? null, enhanced: enhanced ?? null },
  };
  return { filter, before };
}

/**
 * Reads typed text: the id of a message or a send, a whole address, the beginning of one (`ann*`),
 * or any part of an address, a subject or an id. A whole address and a beginning are found by an index.
 */
function whoseOf(given: string): Pick<MessageFilter, "email" | "part" | "sendId" | "messageId"> {
  if (/^snd_\w+$/.test(given)) return { sendId: given };
  if (/^msg_\w+$/.test(given)) {
    return { messageId: given, sendId: parseMessageId(given)?.sendId ?? given };
  }
  const isPrefix = given.endsWith("*");
  if (isPrefix) return { email: { text: given.slice(0, -1), isPrefix } };
  const isWhole = /^[^@\s]+@[^@\s]+\.[^@.\s]+$/.test(given);
  return isWhole ? { email: { text: given, isPrefix } } : { part: given };
}
