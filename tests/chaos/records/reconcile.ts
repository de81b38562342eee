import { SUBJECT } from "../fixture/account.ts";
import { isFinal, lateSends, type OpenMails, openMailsOf } from "./open_mails.ts";
import { findFeedFaults, findReadingFaults, type Reading } from "./feed.ts";
import type {
  BrokerLedger,
  ClientLine,
  FeedEvent,
  Interruption,
  OrderedMail,
  OrderKind,
  Residue,
  ServiceLedger,
  ServiceMessage,
  SinkLine,
  SunkMail,
} from "./records.ts";

/** The records of one run, after all is quiet. */
export interface Records {
  client: ClientLine[];
  service: ServiceLedger;
  broker: BrokerLedger;
  feed: FeedEvent[];
  /** The feed as a program read it during the faults. */
  read: Reading;
  sink: SinkLine[];
  interruptions: Interruption[];
  residue: Residue;
  quiet: Quiet;
  /** Secrets found outside of these records: in logs, the broker, the database, on the disk. */
  leaks: string[];
}

/** How it became quiet after the last fault. */
export interface Quiet {
  /** Longest time from the end of the last fault to the end of the last mail, in milliseconds. */
  boundMs: number;
  /** When the last mail had ended, after the last fault; undefined if it never did. */
  lastMs: number | undefined;
  /** Mails that had not ended when the time was over. */
  late: OpenMails[];
}

/** The terms of a run. */
export interface Terms {
  /** Whether requests may stay without an answer: the interface itself was ended. */
  unanswered: boolean;
  /** Whether `unknown` is a final state: a person decides. */
  hold: boolean;
  /** Resident memory that one service may have, in megabytes. */
  memoryMb: number;
  /** Reason that a mail may fail with, though no server refused it. */
  mayFail?: RegExp;
}

/** An invariant of every run, by its name in `docs/guarantees.md`; `I0`: the run came to its end. */
export type Invariant = `I${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11}`;

/** An invariant that does not hold, and the evidence. */
export interface Violation {
  invariant: Invariant;
  what: string;
}

/** The sums of a run. */
export interface Figures {
  accepted: number;
  sent: number;
  failed: number;
  unknown: number;
  /** Copies beyond the first that reached a reader. */
  duplicates: number;
  /** Number of unknown outcomes of mailers. */
  ambiguous: number;
  lost: number;
  invented: number;
}

/** The result of comparing the four records. */
export interface Reconciliation {
  figures: Figures;
  problems: Violation[];
}

/**
 * A refusal must be answered within this time, in milliseconds. The time in which other processes had all
 * processors does not count: nothing can answer then.
 */
const REFUSAL_LIMIT_MS = 2000;

const HOUR_MS = 3_600_000;

// A mailer that ends got a reply that it could not write at most this long before.
const UNKNOWN_WITHIN_MS = 3000;

// The sink notes a mail when it answers, which is this long, at most, after the dot.
const NOTED_LATE_MS = 1000;

/** Compares the records with each other. Pure; a test shows each violation. */
export function reconcile(records: Records, terms: Terms): Reconciliation {
  const asked = ordersOf(records.client);
  const known = new Map(records.service.messages.map((message) => [message.email, message]));
  const sunk = Map.groupBy(records.sink.filter(isMail), ({ to }) => to[0] ?? "");
  const unknowns = unknownsOf(sunk, known, records.interruptions);
  const view: View = { ...records, terms, asked, known, sunk, unknowns };
  const lost = findLost(view);
  const invented = findInvented(view);
  const problems = [
    ...lost,
    ...invented,
    ...findExcessCopies(view),
    ...findWrongContent(view),
    ...findUntruth(view),
    ...findResidue(view),
    ...findLeaks(view),
    ...findDishonesty(view),
    ...findLate(view),
    ...[...findFeedFaults(view.feed, view.service), ...findReadingFaults(view.read, view.feed)]
      .map((what) => ({ invariant: "I11" as const, what })),
  ];
  const accepted = acceptedMails(asked);
  const states = Map.groupBy(
    accepted.map(({ email }) => known.get(email)?.state ?? "none"),
    (state) => state,
  );
  const count = (state: string) => states.get(state)?.length ?? 0;
  return {
    problems,
    figures: {
      accepted: accepted.length,
      sent: count("sent"),
      failed: count("failed"),
      unknown: count("unknown"),
      duplicates: [...sunk.values()].reduce((sum, mails) => sum + duplicatesOf(mails), 0),
      ambiguous: [...unknowns.values()].reduce((sum, leavesUnknown) => sum + leavesUnknown, 0),
      lost: lost.length,
      invented: invented.length,
    },
  };
}

interface Asked {
  key: string;
  kind: OrderKind;
  mails: OrderedMail[];
  answers: Extract<ClientLine, { type: "answer" }>[];
  unanswered: number;
}

interface View extends Records {
  terms: Terms;
  asked: Asked[];
  /** Messages by recipient: each recipient is requested once. */
  known: Map<string, ServiceMessage>;
  /** Mails that were handed over, by recipient. */
  sunk: Map<string, SunkMail[]>;
  /** Number of unknown outcomes, by recipient. */
  unknowns: Map<string, number>;
}

function isMail(line: SinkLine): line is SunkMail {
  return line.type === "mail";
}

function ordersOf(lines: ClientLine[]): Asked[] {
  const orders = new Map<string, Asked>();
  for (const line of lines) {
    if (line.type === "ask") {
      const { key, kind, mails } = line;
      orders.set(key, { key, kind, mails, answers: [], unanswered: 0 });
      continue;
    }
    const order = orders.get(line.key);
    if (order === undefined) throw new Error(`Cannot read: an answer to "${line.key}" unasked`);
    if (line.type === "answer") order.answers.push(line);
    else order.unanswered++;
  }
  return [...orders.values()];
}

function isAccepted({ answers }: Asked): boolean {
  return answers.some(({ status }) => status === 200);
}

function acceptedMails(asked: Asked[]): OrderedMail[] {
  return asked.filter(isAccepted).flatMap(({ mails }) => mails);
}

function duplicatesOf(mails: readonly SunkMail[]): number {
  return Math.max(0, mails.filter(({ taken }) => taken).length - 1);
}

/**
 * The outcome is unknown to a mailer where the sink cut the connection after the dot, and where it was ended or
 * stopped right after a dot so that its ledger never got the outcome of that attempt.
 */
function unknownsOf(
  sunk: View["sunk"],
  known: View["known"],
  interruptions: Interruption[],
): Map<string, number> {
  const ofMailer = Map.groupBy(interruptions, ({ mailer }) => mailer);
  const unknowns = new Map<string, number>();
  for (const [email, mails] of sunk) {
    const count = mails.filter((mail) => {
      if (mail.ambiguous) return true;
      if (isOutcomeKnown(known.get(email), mail)) return false;
      return ofMailer.get(mail.mailer)?.some(({ at }) =>
        at - mail.at < UNKNOWN_WITHIN_MS && mail.at - at < NOTED_LATE_MS
      );
    }).length;
    if (count > 0) unknowns.set(email, count);
  }
  return unknowns;
}

/** Returns whether the ledger has the outcome of the attempt that made a copy. */
function isOutcomeKnown(message: ServiceMessage | undefined, { at }: SunkMail): boolean {
  const begun = message?.timeline.filter((entry) => entry.type === "sending" && entry.at <= at);
  const attempt = begun?.at(-1)?.attempt;
  // A stage before the mailer may report a failure too, for the attempt before; and a mail that was
  // tried may have to wait for its turn, which is no outcome of its own.
  const outcome = message?.timeline.find((entry) =>
    (entry.type === "sent" || entry.type === "deferred") && entry.attempt === attempt
  );
  return outcome !== undefined && !outcome.ambiguous;
}

/** Each reply of the sink has a number of its own. */
function replyMark(reply: string): string | undefined {
  return /queued as \d+/.exec(reply)?.[0];
}

/**
 * Checks I1: every accepted mail ends as sent, with a copy, or as failed, with a reason and without a copy.
 */
function findLost({ asked, known, service, sunk, unknowns, terms }: View): Violation[] {
  const problems: Violation[] = [];
  const lose = (what: string) => problems.push({ invariant: "I1", what });
  const sends = new Map(service.sends.map((send) => [send.id, send]));
  for (const order of asked.filter(isAccepted)) {
    for (const id of new Set(order.answers.flatMap(({ sendId }) => sendId ?? []))) {
      const send = sends.get(id);
      if (send === undefined) lose(`${order.key}: the answer names ${id}, which is nowhere`);
      else if (send.messageCount !== order.mails.length) {
        lose(`${order.key}: ${order.mails.length} recipients became ${send.messageCount}`);
      }
    }
    const isSettled = order.answers.every(({ sendId }) =>
      sendId === undefined || sends.get(sendId)?.settled !== false
    );
    for (const { email } of order.mails) {
      const message = known.get(email);
      const taken = sunk.get(email)?.filter((mail) => mail.taken).length ?? 0;
      // An unfinished mail is late, which is an invariant of its own.
      if (!isSettled && !isFinal(message?.state ?? "queued")) continue;
      if (message === undefined) lose(`${email} was accepted and is not in the ledger`);
      else if (message.state === "sent") {
        if (taken === 0) lose(`${email} counts as sent and never arrived`);
      } else if (message.state === "failed") {
        if (!message.reason) lose(`${email} failed without a reason`);
        // Nothing else that the harness asks for or does can be a reason to give up.
        else if ((message.reply?.code ?? 0) < 500 && !terms.mayFail?.test(message.reason)) {
          lose(`${email} failed, and no server refused it for good: ${message.reason}`);
        }
        if (taken > (unknowns.get(email) ?? 0)) lose(`${email} counts as failed and arrived`);
      } else if (!(message.state === "unknown" && terms.hold && (unknowns.get(email) ?? 0) > 0)) {
        lose(`${email} stays "${message.state}", attempt ${message.attempt}: ${message.reason}`);
      }
    }
  }
  return problems;
}

/** Checks I2: every copy and every send comes from a request that was accepted, or may have been. */
function findInvented({ asked, service, sunk }: View): Violation[] {
  const problems: Violation[] = [];
  const invent = (what: string) => problems.push({ invariant: "I2", what });
  const orderOf = new Map(asked.flatMap((order) => order.mails.map(({ email }) => [email, order])));
  for (const [email, mails] of sunk) {
    const order = orderOf.get(email);
    if (order === undefined) invent(`${email} got mail that nobody asked for`);
    else if (isRefused(order)) {
      invent(`${email} got mail, though its request was answered with ${statusesOf(order)}`);
    }
    for (const { to } of mails) {
      if (to.length > 1) invent(`${email} and ${to.slice(1)} shared one transaction`);
    }
  }
  const byKey = Map.groupBy(service.sends, ({ key }) => key ?? "");
  const byName = new Map(asked.map((order) => [order.key, order]));
  for (const [key, sends] of byKey) {
    const order = byName.get(key);
    if (order === undefined) invent(`The ledger holds a send "${key}" that nobody asked for`);
    else if (isRefused(order)) invent(`${key} is in the ledger, answered ${statusesOf(order)}`);
    if (sends.length > 1) invent(`${key} became ${sends.length} sends`);
  }
  return problems;
}

/** Returns whether every answer was that the request is invalid; any other answer leaves it open. */
function isRefused({ answers, unanswered }: Asked): boolean {
  return unanswered === 0 && answers.length > 0 &&
    answers.every(({ status }) => status >= 400 && status < 500 && status !== 429);
}

function statusesOf({ answers }: Asked): string {
  return answers.map(({ status }) => status).join();
}

/**
 * Checks I3: no more additional copies than unknown outcomes, none where these are held, and every additional
 * copy is in the timeline.
 */
function findExcessCopies({ sunk, unknowns, known, terms, interruptions }: View): Violation[] {
  const problems: Violation[] = [];
  for (const [email, mails] of sunk) {
    const copies = duplicatesOf(mails);
    // What is held for a person never comes twice.
    const allowed = terms.hold ? 0 : unknowns.get(email) ?? 0;
    if (copies > allowed) {
      const by = mails.filter(({ taken }) => taken).map((mail) =>
        describeCopy(mail, interruptions)
      );
      const what = `${email} came ${copies + 1} times (${
        by.join(", ")
      }), ${allowed} unknown outcomes`;
      problems.push({ invariant: "I3", what: `${what}; ${storyOf(known.get(email))}` });
    }
    const marks = known.get(email)?.timeline.filter(({ ambiguous }) => ambiguous).length ?? 0;
    if (copies > marks) {
      const what = `${email} came ${copies + 1} times, and its timeline says so ${marks} times`;
      problems.push({ invariant: "I3", what: `${what}; ${storyOf(known.get(email))}` });
    }
  }
  return problems;
}

/** Returns whose copy a mail is, its fault, and how long after it the mailer was interrupted. */
function describeCopy(
  { mailer, at, fault }: SunkMail,
  interruptions: readonly Interruption[],
): string {
  const next = interruptions.find((one) => one.mailer === mailer && one.at >= at);
  const notes = [
    ...(fault === null ? [] : [fault]),
    ...(next === undefined ? [] : [`${next.kind} ${next.at - at} ms later`]),
  ];
  return `${mailer} at ${at % 1e6}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
}

function storyOf(message: ServiceMessage | undefined): string {
  const lines = message?.timeline.map(({ at, type, attempt }) => `${at % 1e6} ${type} ${attempt}`);
  return lines?.join(", ") ?? "not in the ledger";
}

/** Checks I4: the same bytes at every attempt, to the right recipient, with the right PDFs. */
function findWrongContent({ sunk, asked, known }: View): Violation[] {
  const problems: Violation[] = [];
  const wrong = (what: string) => problems.push({ invariant: "I4", what });
  const mailOf = new Map(asked.flatMap(({ mails }) => mails.map((mail) => [mail.email, mail])));
  const sharedPdfs = new Map<number, Map<string, string>>();
  for (const [email, mails] of sunk) {
    if (new Set(mails.map(({ sha256 }) => sha256)).size > 1) {
      wrong(`${email} was offered different bytes at ${mails.length} attempts`);
    }
    const ids = new Set(mails.map(({ messageId }) => messageId));
    if (ids.size > 1) wrong(`${email} was offered ${ids.size} Message-IDs`);
    const id = known.get(email)?.id;
    if (id !== undefined && ![...ids][0]?.startsWith(`<${id}@`)) {
      wrong(`${email} was offered the Message-ID ${[...ids][0]}, not that of ${id}`);
    }
    const ordered = mailOf.get(email);
    for (const { subject, toHeader, pdfs } of mails) {
      if (SUBJECT.exec(subject)?.[2] !== String(ordered?.n)) wrong(`${email} got "${subject}"`);
      if (!toHeader.includes(email)) wrong(`${email} got a mail whose To is "${toHeader}"`);
      if (pdfs.length !== (ordered?.pdfs.length ?? 0)) wrong(`${email} got ${pdfs.length} PDFs`);
      if (pdfs.some(({ whole }) => !whole)) wrong(`${email} got a damaged PDF`);
      if (ordered?.pdfs[0] === "shared" && pdfs[0]) {
        const hour = hourOf(known.get(email));
        const ofHour = sharedPdfs.get(hour) ?? new Map<string, string>();
        sharedPdfs.set(hour, ofHour.set(pdfs[0].sha256, email));
      }
    }
  }
  for (const ofHour of sharedPdfs.values()) {
    if (ofHour.size === 1) continue;
    wrong(`The one PDF came with ${ofHour.size} contents, to ${[...ofHour.values()]}`);
  }
  return problems;
}

/** Returns the hour in which a message was accepted: its PDFs have it as their creation time. */
function hourOf(message: ServiceMessage | undefined): number {
  return Math.floor((message?.acceptedAt ?? 0) / HOUR_MS);
}

const OUTCOMES = new Set(["sent", "deferred", "failed", "unknown"]);
const ENDS = new Set(["sent", "failed", "canceled"]);

/** Checks I5: states only move forward, and every server reply in the ledger was sent by the server. */
function findUntruth({ known, sunk, sink, interruptions }: View): Violation[] {
  const problems: Violation[] = [];
  const lie = (what: string) => problems.push({ invariant: "I5", what });
  const refusals = Map.groupBy(
    sink.filter((line) => line.type === "refusal"),
    ({ to }) => to ?? "",
  );
  const refusedEarly =
    refusals.get("")?.some(({ stage, code }) => stage === "mail" && (code ?? 0) >= 500) ?? false;
  for (const message of known.values()) {
    const { email, state, reply } = message;
    for (const what of timelineFaults(message)) lie(`${email}: ${what}; ${storyOf(message)}`);
    const mails = sunk.get(email) ?? [];
    const said = refusals.get(email) ?? [];
    if (state === "sent" && reply !== null && mails.length > 0) {
      const marks = mails.filter(({ taken }) => taken).map((mail) => replyMark(mail.reply ?? ""));
      if (!marks.includes(replyMark(reply.response ?? ""))) {
        lie(`${email} is sent by the reply "${reply.response}", which no copy got`);
      }
    }
    const final = said.some(({ code }) => (code ?? 0) >= 500) ||
      mails.some((mail) => mail.reply?.startsWith("5"));
    // A mailer that was ended may have lost a refusal.
    if (state === "sent" && final && interruptions.length === 0) {
      lie(`${email} is sent though the server refused it for good`);
    }
    if (state === "failed" && (reply?.code ?? 0) >= 500 && !final && !refusedEarly) {
      lie(`${email} failed by ${reply?.code}, and the server never refused it for good`);
    }
  }
  return problems;
}

/** Returns the faults of a timeline, in which only the attempts to send are in order. */
function timelineFaults({ timeline, state, attempt }: ServiceMessage): string[] {
  const faults: string[] = [];
  let ended: string | undefined;
  let last = 0;
  const outcomes = new Map<number, string>();
  const unknown = new Set<number>();
  // A success that was known late is recorded with its attempt again, and closes the attempt after it: 1.
  let late = 0;
  for (const entry of timeline) {
    if (entry.ambiguous) unknown.add(entry.attempt);
    if (entry.type === "sending") {
      if (unknown.has(entry.attempt)) continue;
      if (entry.attempt !== last + 1) faults.push(`attempt ${entry.attempt} follows ${last}`);
      if (ended !== undefined) faults.push(`it goes on after "${ended}"`);
      last = entry.attempt;
    } else if (OUTCOMES.has(entry.type) && entry.attempt > 0) {
      const earlier = outcomes.get(entry.attempt);
      const isUnknown = unknown.has(entry.attempt);
      const isLate = isUnknown && entry.type === "sent";
      // A certain refusal takes the place of an unknown outcome that is held for a person.
      const isCertain = isUnknown && earlier === "unknown" && !entry.ambiguous;
      if (isLate) late = 1;
      // It may wait for several reasons in turn.
      else if (
        earlier !== undefined && !isCertain &&
        !(earlier === "deferred" && entry.type === "deferred")
      ) {
        faults.push(`attempt ${entry.attempt} ended as ${earlier} and as ${entry.type}`);
      }
      outcomes.set(entry.attempt, entry.type);
    }
    // A failure before the mailer names the earlier attempts, and closes the next one.
    if (entry.type === "failed" && entry.attempt === last) late = 1;
    if (ENDS.has(entry.type)) ended = entry.type;
  }
  if (attempt < last || attempt > last + late) {
    faults.push(`it reports ${last} attempts out of ${attempt}`);
  }
  if (ENDS.has(state) && ended !== state) faults.push(`it ends as "${ended}", not "${state}"`);
  return faults;
}

/** Checks I6: nothing is left over. */
function findResidue({ broker, residue, service, terms }: View): Violation[] {
  const problems: Violation[] = [];
  const leave = (what: string) => problems.push({ invariant: "I6", what });
  for (const [name, messages] of Object.entries(broker.streams)) {
    if (messages > 0) leave(`${messages} events are left in ${name}`);
  }
  for (const [name, { unsettled, waiting }] of Object.entries(broker.consumers)) {
    if (unsettled + waiting > 0) leave(`${name} has ${unsettled} unsettled, ${waiting} waiting`);
  }
  for (const id of lateSends(service, terms)) leave(`${id} is not settled`);
  for (const death of residue.deaths) leave(death);
  for (const line of residue.uncaught) leave(line);
  for (const stray of residue.strays) leave(`A process without a master: ${stray}`);
  for (const { pod, now } of residue.memory) {
    if (now > terms.memoryMb) leave(`${pod} holds ${now} MB`);
  }
  for (const surplus of residue.surplus) leave(surplus);
  return problems;
}

/** Checks I7: no secret is exposed. */
function findLeaks({ client, sunk, leaks }: View): Violation[] {
  const found = new Set(leaks);
  for (const line of client) {
    if (line.type !== "answer") continue;
    for (const leak of line.leaks ?? []) found.add(`An answer ${line.status} holds ${leak}`);
  }
  for (const [email, mails] of sunk) {
    for (const leak of mails.flatMap((mail) => mail.leaks ?? [])) {
      found.add(`The mail to ${email} holds ${leak}`);
    }
  }
  return [...found].map((what) => ({ invariant: "I7", what }));
}

/** Checks I8: refusals are fast, correct, and contain when to retry. */
function findDishonesty({ asked, terms }: View): Violation[] {
  const problems: Violation[] = [];
  const blame = (what: string) => problems.push({ invariant: "I8", what });
  for (const order of asked) {
    const { key, kind, answers, unanswered } = order;
    if (unanswered > 0 && !terms.unanswered) blame(`${key} got no answer ${unanswered} times`);
    for (const answer of answers) {
      const { status, ms, retryAfter, body, withoutProcessorMs = 0 } = answer;
      if (status === 200) {
        if (kind === "refused") blame(`${key} was accepted without its variable`);
        continue;
      }
      if (kind === "refused" && status === 400) continue;
      const isHonest = status === 429 || status === 503;
      if (!isHonest) blame(`${key} was answered ${status}: ${body}`);
      else if (!(Number(retryAfter) > 0)) blame(`${key} got ${status} without Retry-After`);
      if (isLate(answer)) {
        blame(
          `${key} got ${status} after ${ms} ms, ${withoutProcessorMs} without a processor: ${body}`,
        );
      }
    }
    const ids = new Set(answers.flatMap(({ sendId }) => sendId ?? []));
    if (ids.size > 1) blame(`${key} got ${ids.size} different sends`);
  }
  return problems;
}

function isLate({ ms, withoutProcessorMs = 0 }: Asked["answers"][number]): boolean {
  return ms - withoutProcessorMs > REFUSAL_LIMIT_MS;
}

/** Returns how many refusals were late only because their process had no processor. */
export function countStarved(client: readonly ClientLine[]): number {
  return client.filter((line) =>
    line.type === "answer" && line.status !== 200 && line.ms > REFUSAL_LIMIT_MS && !isLate(line)
  ).length;
}

/** Checks I9: every mail ends within its bound after the last fault. */
function findLate({ quiet: { boundMs, late }, service }: View): Violation[] {
  const bound = `${Math.round(boundMs / 1000)} s after the last fault`;
  const never = openMailsOf(service);
  const open = new Set(never.map(nameOf));
  const behind = late.filter((mails) => !open.has(nameOf(mails)));
  return [
    ...never.map((mails) => `${describe(mails)} and did not end; the bound is ${bound}`),
    ...behind.map((mails) => `${describe(mails)} ${bound}, and ended later`),
  ].map((what) => ({ invariant: "I9", what }));
}

function nameOf({ sendId, id }: OpenMails): string {
  return id ?? sendId;
}

function describe(mails: OpenMails): string {
  const { state, count } = mails;
  const what = count === 1 ? nameOf(mails) : `${count} mails of ${nameOf(mails)}`;
  return `${what} stayed "${state}"`;
}
