import { type EventType, PRIORITIES, type Priority, REPLIES } from "@posthaste/contracts";

/** One JetStream stream, as data. Durations in milliseconds, sizes in bytes. */
export interface StreamPlan {
  name: string;
  subjects: string[];
  storage: "file" | "memory";
  /** `work`: an event is removed once consumed. `log`: it stays until it expires. */
  retention: "work" | "log";
  maxAgeMs: number;
  maxBytes: number;
}

/** One durable pull consumer, as data. */
export interface ConsumerPlan {
  name: string;
  stream: string;
  filterSubjects: string[];
  /** Left out where there are no priorities. */
  priority?: Priority;
  /** Time after which an event is redelivered that is neither acknowledged nor reported as in progress. */
  ackWaitMs: number;
  maxAckPending: number;
}

/** One object store, as data. */
export interface StorePlan {
  name: StoreName;
  ttlMs: number;
  maxBytes: number;
}

/** The object stores: printed PDFs, and texts too large for an event. */
export type StoreName = "pdfs" | "contents";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 * MEBIBYTE;

/**
 * Maximum number of events of a stage's priority that all workers together have in flight or read ahead. With 1,000,
 * the broker's default, a 22nd mailer with the default `MAIL_CONCURRENCY` would get none.
 */
const MAX_IN_FLIGHT = 20_000;

/**
 * The streams. Each stage has its own, so that its backlog is limited, visible and scalable on its own. The
 * ledger has all work that is lost here: streams are queues, not records.
 */
export const STREAMS: StreamPlan[] = [
  questions("RENDER_NOW", ["render.requested"]),
  questions("INTERACTIVE", [
    "preview.requested",
    "content.requested",
    "print.requested",
    "probe.requested",
    "consent.requested",
    "webhook.requested",
  ]),
  work("RENDER", ["send.requested.*", "send.resumed.*"]),
  work("PRINT", ["messages.rendered.print.*"]),
  work("MAIL", ["messages.rendered.mail.*", "messages.printed.*"]),
  {
    name: "STATUS",
    subjects: ["status.>"],
    storage: "file",
    retention: "log",
    maxAgeMs: 3 * DAY,
    maxBytes: 512 * MEBIBYTE,
  },
];

/** Streams of earlier versions; what they hold is in the ledger, too. */
export const RETIRED_STREAMS = ["RETRY", "FACTS", "DESK", "KV_suspects"];

/** The object stores. Everything in them can be made again. */
export const STORES: StorePlan[] = [
  { name: "pdfs", ttlMs: 3 * DAY, maxBytes: 2 * GIBIBYTE },
  { name: "contents", ttlMs: DAY, maxBytes: GIBIBYTE },
];

/** The consumers: one per stage and priority, and two of the tracker. */
export const CONSUMERS: ConsumerPlan[] = [
  answers("renderer_now", "RENDER_NOW", ["render.requested"]),
  answers("renderer_interactive", "INTERACTIVE", ["preview.requested", "content.requested"]),
  answers("pdf_interactive", "INTERACTIVE", ["print.requested"]),
  answers("mailer_interactive", "INTERACTIVE", ["probe.requested", "consent.requested"]),
  answers("webhooks_interactive", "INTERACTIVE", ["webhook.requested"]),
  ...PRIORITIES.flatMap((priority) => [
    stage("renderer", priority, {
      stream: "RENDER",
      filterSubjects: [`send.requested.${priority}`, `send.resumed.${priority}`],
    }),
    stage("pdf", priority, {
      stream: "PRINT",
      filterSubjects: [`messages.rendered.print.${priority}`],
    }),
    stage("mailer", priority, {
      stream: "MAIL",
      filterSubjects: [`messages.rendered.mail.${priority}`, `messages.printed.${priority}`],
    }),
  ]),
  {
    name: "tracker",
    stream: "STATUS",
    filterSubjects: [
      "status.message.waiting",
      "status.message.failed",
    ],
    ackWaitMs: 30_000,
    maxAckPending: 5000,
  },
  {
    // It was named after its first use. The scheduler, the feed and settlement need it as well.
    name: "statistics",
    stream: "STATUS",
    filterSubjects: [
      "status.send.accepted",
      "status.message.*",
    ],
    ackWaitMs: 60_000,
    maxAckPending: 10_000,
  },
];

/**
 * Returns the plan of a consumer.
 *
 * @throws {RangeError} If there is no such consumer.
 */
export function consumerPlan(name: string): ConsumerPlan {
  const plan = CONSUMERS.find((candidate) => candidate.name === name);
  if (plan === undefined) throw new RangeError(`Cannot consume "${name}": no such consumer`);
  return plan;
}

/** Names of the stages that consume work from {@linkcode CONSUMERS}. */
export type StageName = "renderer" | "pdf" | "mailer";

/** Name of the consumer of a stage's priority. */
export function consumerOf(name: StageName, priority: Priority): string {
  return `${name}_${priority}`;
}

function work(name: string, subjects: string[]): StreamPlan {
  return {
    name,
    subjects,
    storage: "file",
    retention: "work",
    maxAgeMs: 6 * DAY,
    maxBytes: GIBIBYTE,
  };
}

/** Questions: their askers wait, so late answers are useless. */
function questions(name: string, subjects: string[]): StreamPlan {
  return {
    name,
    subjects,
    storage: "memory",
    retention: "work",
    maxAgeMs: 30_000,
    maxBytes: 64 * MEBIBYTE,
  };
}

/** Services that answer questions. */
function answers(name: string, stream: string, filterSubjects: string[]): ConsumerPlan {
  return { name, stream, filterSubjects, ackWaitMs: 10_000, maxAckPending: 1000 };
}

function stage(
  name: StageName,
  priority: Priority,
  { stream, filterSubjects }: Pick<ConsumerPlan, "stream" | "filterSubjects">,
): ConsumerPlan {
  return {
    name: consumerOf(name, priority),
    stream,
    filterSubjects,
    priority,
    ackWaitMs: 30_000,
    maxAckPending: MAX_IN_FLIGHT,
  };
}

/** Queue of the mailer or printer for rendered messages. */
interface Routed {
  priority?: Priority;
  messages?: { pdfs?: unknown[] }[];
}

/** Returns the subject that an event travels on. */
export function subjectOf(type: EventType, data: Routed): string {
  switch (type) {
    case "send.requested":
    case "send.resumed":
    case "messages.printed":
      return `${type}.${data.priority}`;
    case "messages.rendered":
      return `${type}.${data.messages?.[0]?.pdfs?.length ? "print" : "mail"}.${data.priority}`;
    default:
      return type;
  }
}

/** Returns an event's type by its subject; `undefined` when no event travels there. */
export function typeOfSubject(subject: string): EventType | undefined {
  if (subject.startsWith("status.") || Object.hasOwn(REPLIES, subject)) return subject as EventType;
  const type = subject.split(".").slice(0, 2).join(".");
  switch (type) {
    case "send.requested":
    case "send.resumed":
    case "messages.rendered":
    case "messages.printed":
      return type;
    default:
      return undefined;
  }
}
