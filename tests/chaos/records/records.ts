// The four records, each kept by another process, and what the harness itself did to them.

/** Why a request is made: most are good; the others must be refused, or come twice, or are left. */
export type OrderKind = "good" | "duplicate" | "abandoned" | "refused";

/** One recipient of a request. */
export interface OrderedMail {
  email: string;
  /** Number by which subject and recipient belong together. */
  n: number;
  /** The PDFs asked for: one that all share, or one of its own. */
  pdfs: ("shared" | "own")[];
}

/** Client: written and flushed before a request is made, and before its answer is counted. */
export type ClientLine =
  | { type: "ask"; key: string; kind: OrderKind; at: number; mails: OrderedMail[] }
  | {
    type: "answer";
    key: string;
    at: number;
    ms: number;
    status: number;
    retryAfter?: string;
    sendId?: string;
    messages?: { id: string; email: string }[];
    body?: string;
    /** Of a refusal: how long its process had no processor meanwhile, in milliseconds. */
    withoutProcessorMs?: number;
    /** Secrets that the answer holds. */
    leaks?: string[];
  }
  /** No answer came: the outcome of the request is unknown. */
  | { type: "no_answer"; key: string; at: number; ms: number; reason: string };

/** Sink: written before the reply goes out. */
export type SinkLine =
  | {
    type: "mail";
    /** When the final dot was seen, in milliseconds since 1970. */
    at: number;
    /** The mailer, by the name that it says with EHLO. */
    mailer: string;
    to: string[];
    messageId: string;
    subject: string;
    toHeader: string;
    sha256: string;
    pdfs: { sha256: string; whole: boolean }[];
    /** Null where the connection was cut instead. */
    reply: string | null;
    /** Whether the mail would reach its reader. */
    taken: boolean;
    /** Name of the fault that was injected after the dot. */
    fault: string | null;
    /** Whether the outcome of the mail is unknown to the mailer. */
    ambiguous: boolean;
    /** Secrets that the mail holds. */
    leaks?: string[];
  }
  | {
    type: "refusal";
    at: number;
    /** Null before RCPT. */
    to: string | null;
    stage: string;
    /** Null where the connection was cut. */
    code: number | null;
  };

/** A mail that was handed over up to its final dot. */
export type SunkMail = Extract<SinkLine, { type: "mail" }>;

/** Service: the records of the database at the end. */
export interface ServiceLedger {
  sends: { id: string; key: string | undefined; messageCount: number; settled: boolean }[];
  messages: ServiceMessage[];
}

/** An event in the feed of an account. */
export interface FeedEvent {
  id: string;
  /** From 1, without gaps. */
  sequence: number;
  type: string;
  messageId: string | undefined;
  sendId: string | undefined;
  attempt: number | undefined;
}

/** A message as the database holds it. */
export interface ServiceMessage {
  id: string;
  sendId: string;
  email: string;
  /** When its send was accepted, in milliseconds since 1970. */
  acceptedAt: number;
  state: string;
  attempt: number;
  reason: string | null;
  reply: { code?: number | undefined; response?: string | undefined } | null;
  /** In the order in which it was written, without its acceptance. */
  timeline: {
    at: number;
    type: string;
    attempt: number;
    /** Whether it records that the server may have the mail. */
    ambiguous?: boolean | undefined;
    detail?: string | undefined;
  }[];
}

/** Broker: the events left in it at the end. */
export interface BrokerLedger {
  /** Events by stream of work. */
  streams: Record<string, number>;
  /** Delivered events without an acknowledgement, and undelivered events, by consumer. */
  consumers: Record<string, { unsettled: number; waiting: number }>;
}

/** An interruption of a mailer by the harness, with its time in milliseconds since 1970. */
export interface Interruption {
  /** Its name in EHLO. */
  mailer: string;
  /** `cut`: its connections to a receiving server were cut. */
  kind: "killed" | "stopped" | "cut";
  at: number;
}

/** The state of the processes when all is quiet. */
export interface Residue {
  /** Programs that ended by themselves. */
  deaths: string[];
  /** Uncaught errors in the services' logs. */
  uncaught: string[];
  /** Processes without a living service above them. */
  strays: string[];
  /** Resident memory of each service in megabytes. */
  memory: { pod: string; now: number }[];
  /** Resources of services beyond those of fresh ones, a minute after the last mail. */
  surplus: string[];
}

/** The open resources of one service. */
export interface Holding {
  pod: string;
  role: string;
  /** Open file descriptors: files, pipes, sockets. */
  files: number;
  /** Connections to the database, and to the broker. */
  database: number;
  broker: number;
  /** Processes of its browser. */
  browsers: number;
}
