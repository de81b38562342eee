import {
  isTerminal,
  type MessageState,
  messageStateSchema,
  smtpReplySchema,
  type TimelineType,
  timelineTypeSchema,
} from "@posthaste/contracts";
import { z } from "zod";
import type { Output } from "./output.ts";
import { printableLine } from "./printable.ts";
import { formatClock, formatCount, formatSpan, formatTime } from "./format.ts";

const timeSchema = z.coerce.date();
const someTimeSchema = z.union([z.null(), timeSchema]);

/** Answer to `GET /messages/{id}`. */
export const messageAnswerSchema = z.object({
  id: z.string(),
  sendId: z.string(),
  email: z.string(),
  state: messageStateSchema,
  attempt: z.int(),
  acceptedAt: timeSchema,
  finishedAt: someTimeSchema,
  nextAt: someTimeSchema,
  reason: z.string().nullable(),
  reply: smtpReplySchema.nullable(),
  /** Missing in the answers of older services. */
  waiting: z.object({ reason: z.string(), ahead: z.int() }).nullable().optional(),
  timeline: z.array(z.object({
    at: timeSchema,
    type: timelineTypeSchema,
    attempt: z.int(),
    durationMs: z.number().optional(),
    detail: z.string().optional(),
  })),
});

/** Answer to `GET /messages/{id}`. */
export type MessageAnswer = z.infer<typeof messageAnswerSchema>;

/** Answer to `GET /sends/{id}`. */
export const sendAnswerSchema = z.object({
  id: z.string(),
  acceptedAt: timeSchema,
  template: z.object({ id: z.int(), version: z.int() }),
  integrationId: z.int(),
  messageCount: z.int(),
  settled: z.boolean(),
  messages: z.array(z.object({ id: z.string(), email: z.string(), state: messageStateSchema })),
});

/** Answer to `GET /sends/{id}`. */
export type SendAnswer = z.infer<typeof sendAnswerSchema>;

type Painter = Pick<Output, "style" | "styler" | "table">;

const COLOURS = {
  scheduled: "dim",
  queued: "dim",
  rendered: "cyan",
  printed: "cyan",
  sending: "blue",
  deferred: "yellow",
  unknown: "yellow",
  sent: "green",
  failed: "red",
  canceled: "magenta",
  suppressed: "magenta",
} as const satisfies Record<TimelineType, string>;

const MAX_SHOWN = 50;
/** The position in line is counted up to this number. */
const MAX_AHEAD = 10_000;

/** Returns all about a message: its state, the server's reply, and its timeline. */
export function describeMessage(message: MessageAnswer, output: Painter): string {
  const { id, email, acceptedAt, timeline } = message;
  // The timeline usually ends with the server's reply.
  const words = message.reply === null ? "" : describeReply(message.reply);
  const reply = timeline.some(({ detail = "" }) => detail.includes(words)) ? "" : words;
  const rows = [
    ["State", describeState(message, output)],
    ["Accepted", formatTime(acceptedAt)],
    ...message.reason === null ? [] : [["Reason", printableLine(message.reason)]],
    ...message.waiting ? [["Waits", formatPlace(message.waiting, message.reason)]] : [],
    ...reply === "" ? [] : [["Server", reply]],
  ];
  const head = `${output.style("bold", printableLine(email))}  ${output.style("dim", id)}`;
  const lines = rows.map(([name = "", text]) => `  ${output.style("dim", name.padEnd(9))} ${text}`);
  return [head, ...lines, "", describeTimeline(acceptedAt, timeline, output)].join("\n");
}

function formatPlace(
  { reason, ahead }: NonNullable<MessageAnswer["waiting"]>,
  said: string | null,
): string {
  const place = ahead === 0
    ? "next in the queue"
    : ahead >= MAX_AHEAD
    ? `behind ${ahead.toLocaleString("en")} others or more`
    : `behind ${ahead === 1 ? "1 other" : `${ahead.toLocaleString("en")} others`}`;
  return reason === said ? place : `${place}: ${printableLine(reason)}`;
}

function describeTimeline(
  acceptedAt: Date,
  timeline: MessageAnswer["timeline"],
  output: Painter,
): string {
  const accepted = [formatClock(acceptedAt), "", stateCell("queued", output), "", "", ""];
  const rows = timeline.map(({ at, type, attempt, durationMs, detail = "" }) => [
    formatClock(at),
    `+${formatSpan(Math.max(0, at.getTime() - acceptedAt.getTime()))}`,
    stateCell(type, output),
    attempt === 0 ? "" : String(attempt),
    durationMs === undefined ? "" : formatSpan(durationMs),
    detail,
  ]);
  const all = timeline[0]?.type === "queued" ? rows : [accepted, ...rows];
  return output.table(["TIME", "AFTER", "STATE", "ATTEMPT", "TOOK", "DETAIL"], all, "  ");
}

function stateCell(state: TimelineType, output: Painter) {
  return { text: state, style: output.styler(COLOURS[state]) };
}

function describeState(
  { state, attempt, acceptedAt, finishedAt, nextAt, waiting }: MessageAnswer,
  output: Painter,
) {
  const span = finishedAt && formatSpan(finishedAt.getTime() - acceptedAt.getTime());
  const parts = [
    ...span ? [`after ${span}`] : [],
    ...attempt > 0 ? [formatCount(attempt, "attempt")] : [],
    ...nextAt && !waiting ? [formatNext(nextAt)] : [],
  ];
  return [output.style(COLOURS[state], state), ...parts].join(", ").replace(", after", " after");
}

/** Mail that waits for its integration has no time of its own: it was due when it began to wait. */
function formatNext(nextAt: Date): string {
  return nextAt.getTime() > Date.now() ? `next one ${formatTime(nextAt)}` : "next one is due";
}

function describeReply({ code, enhanced, response }: NonNullable<MessageAnswer["reply"]>): string {
  const text = printableLine(response ?? "");
  const start = [code, enhanced].filter((part) => part !== undefined && !text.includes(`${part}`));
  return [...start, text].join(" ").trim();
}

/** Returns the state of a send: the number of messages in each state, and each message. */
export function describeSend(send: SendAnswer, output: Painter): string {
  const { id, acceptedAt, template, integrationId, messages } = send;
  const shown = [...messages].sort((a, b) => urgency(a.state) - urgency(b.state))
    .slice(0, MAX_SHOWN);
  const more = messages.length - shown.length;
  const rows: [string, string][] = [
    ["Accepted", formatTime(acceptedAt)],
    ["Template", `${template.id}, version ${template.version}`],
    ["By", `integration ${integrationId}`],
    ["Messages", formatCounts(messages.map(({ state }) => state), output)],
  ];
  return [
    output.style("bold", id),
    ...rows.map(([name, text]) => `  ${output.style("dim", name.padEnd(9))} ${text}`),
    "",
    output.table(
      ["STATE", "TO", "MESSAGE"],
      shown.map((each) => [stateCell(each.state, output), each.email, each.id]),
      "  ",
    ),
    ...more > 0 ? [output.style("dim", `  and ${more} more`)] : [],
  ].join("\n");
}

function formatCounts(states: readonly MessageState[], output: Painter): string {
  const counts = new Map<MessageState, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => urgency(a) - urgency(b))
    .map(([state, count]) => `${count} ${output.style(COLOURS[state], state)}`).join(", ");
}

/** Returns the sort key: states that need a person come first. */
function urgency(state: MessageState): number {
  if (state === "failed" || state === "unknown") return 0;
  if (state === "deferred" || state === "canceled" || state === "suppressed") return 1;
  return isTerminal(state) ? 3 : 2;
}
