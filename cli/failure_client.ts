import { FORGOTTEN_ADDRESS, MESSAGE_STATES, type MessageInCsv } from "@posthaste/contracts";
import { z } from "zod";
import type { Api } from "./api.ts";
import { patiently } from "./patiently.ts";

// Fields that a newer server adds are ignored.
const replySchema = z.object({
  code: z.int().optional(),
  enhanced: z.string().optional(),
  response: z.string().optional(),
});

const pageSchema = z.object({
  data: z.array(z.object({
    id: z.string(),
    email: z.string(),
    state: z.enum(MESSAGE_STATES),
    reason: z.string().nullable(),
    reply: replySchema.nullable(),
    acceptedAt: z.iso.datetime().transform((text) => new Date(text)),
  })),
  next: z.string().nullable(),
});

const causesSchema = z.object({
  causes: z.array(z.object({
    state: z.enum(MESSAGE_STATES),
    reason: z.string().nullable(),
    code: z.int().nullable(),
    enhanced: z.string().nullable(),
    response: z.string().nullable(),
    count: z.int(),
    messageId: z.string(),
  })),
});

/** Why messages of a send failed, and how many. */
export type FailureCause = z.infer<typeof causesSchema>["causes"][number];

/** Selects messages, as the options of the command. */
export interface FailureFilter {
  state: string;
  send?: string;
  reason?: string;
  code?: string;
  enhanced?: string;
  from?: string;
}

const PAGE = 100;

/** Lists the causes of a send, the most frequent first. */
export async function causesOf(api: Api, send: string): Promise<FailureCause[]> {
  return causesSchema.parse(await api.get(`/sends/${encodeURIComponent(send)}`)).causes;
}

/**
 * Yields the messages that match, newest first, without those of forgotten people. It waits where a limit of
 * requests says so.
 */
export async function* failuresOf(
  api: Api,
  { state, send, reason, code, enhanced, from }: FailureFilter,
): AsyncGenerator<MessageInCsv, void> {
  const wanted = { state, sendId: send, reason, code, enhanced, from };
  const filter = Object.entries(wanted).filter((pair): pair is [string, string] =>
    pair[1] !== undefined
  );
  for (let cursor: string | null = ""; cursor !== null;) {
    const more = cursor === "" ? [] : [["cursor", cursor]];
    const query = new URLSearchParams([["limit", String(PAGE)], ...filter, ...more]);
    const answer = await patiently(() => api.get(`/messages?${query}`));
    const page: z.infer<typeof pageSchema> = pageSchema.parse(answer);
    yield* page.data.filter(({ email }) => email !== FORGOTTEN_ADDRESS);
    cursor = page.next;
  }
}
