import { type Message, TERMINAL_STATES } from "@posthaste/contracts";
import {
  type DeliveryLedger,
  type FoundRegister,
  heldGuard,
  type LedgerAnswer,
  type LedgerRequest,
  outcomeGuard,
  type Register,
  type StoredOutcome,
} from "@posthaste/delivery";
import { errorType } from "@posthaste/telemetry";
import { type Db, type Filter, Timestamp, type UpdateFilter } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { measuredUnder } from "./_measured.ts";
import { insertGroup } from "./_insert_group.ts";
import { UNTOUCHED } from "./_message_document.ts";
import { withoutWords } from "./_without_words.ts";
import { writeGroup } from "./_write_group.ts";
import { type MessageIdentity, senderOf } from "./message_identity.ts";
import type { AttemptOutcome, StoredRegister } from "./stored_register.ts";

/** A register as it is found, with the integration of its attempt if that is not the send's own. */
export type FoundAttempt = FoundRegister<AttemptOutcome> & { fallback?: number };

/** The registers and outcomes of messages, for the code of the delivery protocol. */
export interface DeliveryLedgers {
  /**
   * Returns the ledger of one message. Simultaneous writes, of all messages, share one command.
   *
   * @param waitMs How long the owner of a register waits for the server's reply, at most.
   * @param fallback The integration of the attempt, if not the send's own.
   */
  ledgerOf(
    message: MessageIdentity,
    options?: { waitMs?: number; fallback?: number | undefined },
  ): DeliveryLedger<AttemptOutcome>;
  /** Finds registers by message and attempt; the key is `<message>/<n>`. */
  find(
    attempts: readonly { messageId: string; n: number }[],
  ): Promise<Map<string, FoundAttempt>>;
}

interface LedgerOptions {
  waitMs?: number;
  fallback?: number | undefined;
}

/** Least time between two groups of outcomes that are not full, in milliseconds. No connection waits for them. */
const OUTCOMES_EVERY_MS = 30;

/** Returns the ids of all registers of messages in a range of ids, as a range. */
export function registerRange({ $gte, $lte }: { $gte: string; $lte: string }) {
  return { $gte: `${$gte}/`, $lt: `${$lte}0` };
}

/**
 * Returns the registers and outcomes of messages.
 *
 * @param now Shows the database's time.
 */
export function deliveryLedgers(db: Db, now: () => Date): DeliveryLedgers {
  const { messages, registers } = collectionsOf(db);
  const insertRegister = insertGroup(registers);
  const insertOutcome = insertGroup(messages, { everyMs: OUTCOMES_EVERY_MS });
  const updateOutcome = writeGroup(messages);

  // Each is measured under its own name.
  const operations = measuredUnder({
    async insertRegister(
      messageId: string,
      { n, register }: { n: number; register: Register<AttemptOutcome> },
      { waitMs, fallback }: LedgerOptions,
    ): Promise<LedgerAnswer<AttemptOutcome>> {
      const _id = `${messageId}/${n}`;
      const isFree = await insertRegister({
        _id,
        // Zero in an insert: the server replaces it by its own time.
        at: new Timestamp({ t: 0, i: 0 }),
        ...withoutLateWords(register, n),
        ...("dot" in register && waitMs !== undefined ? { waitMs } : {}),
        ...("dot" in register && fallback !== undefined ? { integrationId: fallback } : {}),
      });
      if (isFree) return { type: "inserted" };
      const found = await registers.findOne({ _id });
      // It is not yet known to a majority, or was rolled back. Repeating the insert decides.
      return found === null
        ? { type: "unsure" }
        : { type: "existing", register: registerOf(found) };
    },
    async writeOutcome(
      message: MessageIdentity,
      { n, outcome }: { n: number; outcome: AttemptOutcome },
    ): Promise<boolean> {
      const { messageId: _id, accountId } = message;
      const isLate = isOfEarlier(outcome, n);
      if (isLate) outcome = learnedLate(outcome, now());
      const guard = outcomeGuard(n);
      if ("insert" in guard && await insertOutcome(documentOf(message, n, outcome))) return true;
      const { attempt, not } = "insert" in guard ? { attempt: 0, not: "sent" as const } : guard;
      const last = outcome.lines.at(-1);
      const update = (filter: Filter<Message>, written: AttemptOutcome) => {
        const { $set, ...change } = changeOf(n, written);
        const learned = isLate ? {} : { ...subjectOf(message), ...waiting(message, written) };
        return updateOutcome({
          filter: { _id, accountId, attempt, state: { $ne: not }, ...filter },
          // Another process may have written the outcomes before. What was forgotten is not written again.
          update: { ...change, $set: { ...$set, ...learned } },
          // Its line distinguishes this write from another's.
          done: {
            ...{ _id, accountId, attempt: n, state: outcome.state },
            ...(last === undefined ? {} : {
              timeline: { $elemMatch: { at: last.at, type: last.type, attempt: last.attempt } },
            }),
          } as Filter<Message>,
        });
      };
      return await (isLate ? unlessForgotten(update, outcome) : update({}, outcome));
    },
    async replaceHeld(
      { messageId: _id, accountId }: MessageIdentity,
      { n, outcome }: { n: number; outcome: AttemptOutcome },
    ): Promise<boolean> {
      return await unlessForgotten(async (filter, written) => {
        const { $set, $push } = changeOf(n, written);
        const change = { $set, $push, $pull: { unknownAttempts: n } };
        const held = { _id, accountId, ...heldGuard(n), ...filter };
        return (await messages.updateOne(held, change)).matchedCount > 0;
      }, learnedLate(outcome, now()));
    },
    async markSent(
      { messageId: _id, accountId }: MessageIdentity,
      { attempt, outcome }: { attempt: number; outcome: AttemptOutcome },
    ): Promise<boolean> {
      return await unlessForgotten(async (filter, written) => {
        const { $set, $push } = changeOf(attempt, written);
        const unsent = { _id, accountId, attempt, state: { $ne: "sent" as const }, ...filter };
        return (await messages.updateOne(unsent, { $set, $push })).matchedCount > 0;
      }, learnedLate(outcome, now()));
    },
    async readOutcome(
      { messageId: _id, accountId }: MessageIdentity,
    ): Promise<StoredOutcome | undefined> {
      const projection = { attempt: 1, state: 1 };
      const found = await messages.findOne({ _id, accountId }, { projection });
      return found === null ? undefined : outcomeOf(found);
    },
  });

  async function perform(
    message: MessageIdentity,
    request: LedgerRequest<AttemptOutcome>,
    options: LedgerOptions,
  ): Promise<LedgerAnswer<AttemptOutcome>> {
    switch (request.op) {
      case "insertRegister":
        return await operations.insertRegister(message.messageId, request, options);
      case "readMessage":
        return { type: "read", message: await operations.readOutcome(message) };
      default:
        return {
          type: "written",
          isApplied: await operations[request.op](message, request as never),
        };
    }
  }

  return {
    ledgerOf: (message, options = {}) => ({
      async perform(request) {
        try {
          return await perform(message, request, options);
        } catch (error) {
          if (isUnsure(error)) return { type: "unsure", cause: error };
          throw error;
        }
      },
    }),
    async find(attempts) {
      if (attempts.length === 0) return new Map();
      const ids = attempts.map(({ messageId, n }) => `${messageId}/${n}`);
      const until = { $add: [{ $toDate: "$at" }, { $ifNull: ["$waitMs", 0] }] };
      const found = await registers.aggregate<
        Omit<StoredRegister, "at"> & { isOver: boolean; at: Date }
      >([
        { $match: { _id: { $in: ids } } },
        { $set: { isOver: { $lt: [until, "$$NOW"] }, at: { $toDate: "$at" } } },
      ]).toArray();
      return new Map(
        found.map((stored) => [
          stored._id,
          {
            ...{ register: registerOf(stored), isOver: stored.isOver, at: stored.at },
            ...(stored.integrationId === undefined ? {} : { fallback: stored.integrationId }),
          },
        ]),
      );
    },
  };
}

/** Returns what the protocol needs of a document. A message that only waits has no outcome. */
export function outcomeOf(
  { attempt, state }: Pick<Message, "attempt" | "state">,
): StoredOutcome | undefined {
  return attempt === 0 ? undefined : { attempt, state } as StoredOutcome;
}

function registerOf(
  stored: Omit<StoredRegister, "at"> & { void?: AttemptOutcome },
): Register<AttemptOutcome> {
  const { by } = stored;
  return stored.void === undefined ? { by, dot: true } : { by, void: stored.void };
}

/** Returns whether an error leaves open what was written. */
function isUnsure(error: unknown): boolean {
  const type = errorType(error);
  return type === "unavailable" || type === "timeout";
}

/** Returns a register without words that a server said late: forgetting a person changes no register. */
function withoutLateWords(
  register: Register<AttemptOutcome>,
  n: number,
): Register<AttemptOutcome> {
  const isLate = "void" in register && isOfEarlier(register.void, n);
  return isLate ? { ...register, void: wordless(register.void) } : register;
}

/** Returns whether an outcome closes attempt `n` because the server took the mail of an earlier one. */
function isOfEarlier({ sentBy }: AttemptOutcome, n: number): boolean {
  return sentBy !== undefined && sentBy !== n;
}

/**
 * Writes what was learned of a message after an outcome was known: without the words of others if its recipient was
 * forgotten since. The filter decides, so that nobody can be forgotten in between.
 */
async function unlessForgotten(
  write: (filter: Filter<Message>, outcome: AttemptOutcome) => Promise<boolean>,
  outcome: AttemptOutcome,
): Promise<boolean> {
  return await write({ forgottenAt: { $exists: false } }, outcome) ||
    await write({ forgottenAt: { $exists: true } }, wordless(outcome));
}

function wordless(
  { reason, reply, copiesRefused: _words, lines, ...outcome }: AttemptOutcome,
): AttemptOutcome {
  const left = withoutWords({ reason: reason ?? null, reply: reply ?? null, timeline: lines });
  return {
    ...outcome,
    lines: left.timeline,
    ...(left.reason === null ? {} : { reason: left.reason }),
    ...(left.reply === null ? {} : { reply: left.reply }),
  };
}

/**
 * Returns an outcome that follows another one of the same attempt. Its line has the time at which the ledger
 * learned it: a timeline is read by time, and ends with the state of the message.
 */
function learnedLate(outcome: AttemptOutcome, at: Date): AttemptOutcome {
  const lines = outcome.lines.filter(({ type }) => type !== "sending");
  return {
    ...outcome,
    lines: lines.map((line) => line.type === outcome.state ? { ...line, at } : line),
  };
}

const FINAL: ReadonlySet<string> = new Set(TERMINAL_STATES);

function fieldsOf(n: number, outcome: AttemptOutcome) {
  const { state, at, reason, reply, nextAt, waitsFor, mimeHash, copiesRefused, sentBy } = outcome;
  return {
    state,
    attempt: n,
    sentBy: state === "sent" ? sentBy ?? n : null,
    // A message that waits for capacity is due.
    nextAt: nextAt ?? (waitsFor === undefined ? null : at),
    waitsFor: waitsFor ?? null,
    finishedAt: FINAL.has(state) ? at : null,
    reason: reason ?? null,
    reply: reply ?? null,
    ...(mimeHash === undefined ? {} : { mimeHash }),
    ...(copiesRefused === undefined ? {} : { copiesRefused }),
  };
}

function documentOf(
  { messageId: _id, from, ...identity }: MessageIdentity,
  n: number,
  outcome: AttemptOutcome,
): Message {
  const { unknownAttempt, lines } = outcome;
  return {
    _id,
    ...identity,
    ...waiting({ from }, outcome),
    ...UNTOUCHED,
    ...fieldsOf(n, outcome),
    ...(outcome.unreached === undefined ? {} : { unreached: outcome.unreached }),
    unknownAttempts: unknownAttempt === undefined ? [] : [unknownAttempt],
    timeline: lines,
  };
}

/** Returns the sender of a message that waits for another attempt: another integration may make it. */
function waiting({ from }: Pick<MessageIdentity, "from">, { state }: AttemptOutcome) {
  return state === "deferred" ? senderOf({ from }) : {};
}

function subjectOf({ sealedSubject }: MessageIdentity): Pick<Message, "sealedSubject"> {
  return sealedSubject === undefined ? {} : { sealedSubject };
}

function changeOf(n: number, outcome: AttemptOutcome) {
  const { unknownAttempt, lines } = outcome;
  return {
    // That of the attempt before does not stay.
    $set: { ...fieldsOf(n, outcome), unreached: outcome.unreached ?? null },
    $push: { timeline: { $each: lines } },
    ...(unknownAttempt === undefined ? {} : { $addToSet: { unknownAttempts: unknownAttempt } }),
  } satisfies UpdateFilter<Message>;
}
