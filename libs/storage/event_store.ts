import type { FeedEventType } from "@posthaste/contracts";
import { type Db, MongoBulkWriteError } from "mongodb";
import { setTimeout as delay } from "node:timers/promises";
import { collectionsOf } from "./_collections.ts";
import type { NewEvent, RecordedEvent, StoredEvent } from "./recorded_event.ts";

/** The part of a feed to read. */
export interface FeedPart {
  /** Sequence of the last event before it. */
  after: number;
  /** The types to return; all if this is left out. */
  types?: readonly FeedEventType[] | undefined;
  limit: number;
}

/** A part of a feed. */
export interface FeedPage {
  events: RecordedEvent[];
  /** The sequence after which to continue: up to it, there is nothing else. */
  next: number;
}

/** The ends of a feed; both 0 if there is none. */
export interface FeedBounds {
  oldest: number;
  newest: number;
}

/** Events of accounts. */
export interface EventStore {
  /**
   * Adds events to the feeds of their accounts, in their order, each once. Events that are already recorded
   * are skipped. Concurrent recorders collide, and leave no gap. Returns the accounts whose feeds grew.
   *
   * @throws {Error} If other recorders win repeatedly, or the database fails. Some events may then be
   * recorded.
   */
  record(events: readonly NewEvent[]): Promise<Set<string>>;
  /** Returns which of these events are recorded. */
  recorded(ids: readonly string[]): Promise<Set<string>>;
  /** Reads an account's feed, oldest first. It examines 5000 events at most: the page may be empty. */
  list(accountId: string, part: FeedPart): Promise<FeedPage>;
  /** Returns the ends of an account's feed. */
  bounds(accountId: string): Promise<FeedBounds>;
  /** Finds an event of an account. */
  find(accountId: string, id: string): Promise<RecordedEvent | null>;
  /** Finds those of these events of an account that are kept, by their ids. */
  findMany(accountId: string, ids: readonly string[]): Promise<Map<string, RecordedEvent>>;
  /** Returns which of these feeds have events after a sequence, by one command. */
  grown(feeds: readonly { accountId: string; after: number }[]): Promise<Set<string>>;
  /**
   * Removes an account's events that were recorded before a time, oldest first. The newest stays, so that
   * sequences never restart. Returns how many it removed.
   */
  removeOld(accountId: string, before: Date): Promise<number>;
}

const MAX_SCANNED = 5000;
const MAX_TRIES = 50;
const RETRY_MS = 10;
const DUPLICATE_KEY = 11000;

/** The most accounts whose last sequence is remembered. */
const MAX_HEADS = 10_000;

const WITHOUT_TIME = { recordedAt: 0 };

/** Returns the operations on events. */
export function eventStore(db: Db): EventStore {
  const { events } = collectionsOf(db);
  /** Last sequences that a majority has. A collision reveals one that another recorder has passed. */
  const heads = new Map<string, number>();

  async function newestOf(accountId: string): Promise<number> {
    // A majority has it: no event may follow a write that is rolled back.
    const options = { sort: { sequence: -1 }, projection: { sequence: 1 } } as const;
    return (await events.findOne({ accountId }, options))?.sequence ?? 0;
  }

  async function learnHeads(accountIds: Iterable<string>): Promise<void> {
    const unknown = [...new Set(accountIds)].filter((accountId) => !heads.has(accountId));
    if (heads.size + unknown.length > MAX_HEADS) heads.clear();
    await Promise.all(unknown.map(async (accountId) => {
      heads.set(accountId, await newestOf(accountId));
    }));
  }

  async function existing(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const found = events.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } });
    return new Set((await found.toArray()).map(({ _id }) => _id));
  }

  /** Returns how many of the first were written. @throws If it is unknown which were. */
  async function insert(numbered: StoredEvent[]): Promise<number> {
    try {
      // In order: events after a refused one are not written.
      await events.insertMany(numbered, { ordered: true });
      return numbered.length;
    } catch (error) {
      const isRefused = error instanceof MongoBulkWriteError && error.code === DUPLICATE_KEY &&
        error.result.getWriteConcernError() === undefined;
      if (!isRefused) throw error;
      return error.insertedCount;
    }
  }

  function number(all: readonly NewEvent[]): StoredEvent[] {
    const next = new Map<string, number>();
    const recordedAt = new Date();
    return all.map(({ data, ...event }) => {
      const { accountId } = event;
      const sequence = (next.get(accountId) ?? heads.get(accountId) ?? 0) + 1;
      next.set(accountId, sequence);
      return { ...event, sequence, recordedAt, data: JSON.stringify(data) };
    });
  }

  async function record(all: readonly NewEvent[]): Promise<Set<string>> {
    const grown = new Set<string>();
    let rest = [...new Map(all.map((event) => [event._id, event])).values()];
    for (let tries = 1; rest.length > 0; tries++) {
      if (tries > MAX_TRIES) {
        throw new Error(`Cannot record ${rest.length} events: other recorders were faster`);
      }
      await learnHeads(rest.map(({ accountId }) => accountId));
      const numbered = number(rest);
      const written = await insert(numbered);
      for (const { accountId, sequence } of numbered.slice(0, written)) {
        heads.set(accountId, sequence);
        grown.add(accountId);
      }
      rest = rest.slice(written);
      const [refused] = rest;
      if (refused === undefined) break;
      // Its id or its number is taken.
      heads.delete(refused.accountId);
      const known = await existing(rest.map(({ _id }) => _id));
      rest = rest.filter(({ _id }) => !known.has(_id));
      // Only the server knows yet what took it; soon a majority does.
      if (written === 0 && known.size === 0) await delay(RETRY_MS);
      else tries = 0;
    }
    return grown;
  }

  const first = { sort: { sequence: 1 }, projection: { sequence: 1 } } as const;

  async function bounds(accountId: string): Promise<{ oldest: number; newest: number }> {
    const oldest = (await events.findOne({ accountId }, first))?.sequence ?? 0;
    return { oldest, newest: oldest === 0 ? 0 : await newestOf(accountId) };
  }

  return {
    async record(all) {
      try {
        return await record(all);
      } catch (error) {
        heads.clear();
        throw error;
      }
    },
    recorded: existing,
    async list(accountId, { after, types, limit }) {
      // The end comes first: events that are recorded during the search are read next time.
      const end = types === undefined
        ? after + limit
        : Math.min(after + MAX_SCANNED, await newestOf(accountId));
      const found = await events.find({
        accountId,
        sequence: { $gt: after, $lte: end },
        ...(types === undefined ? {} : { type: { $in: [...types] } }),
      }).project<Omit<StoredEvent, "recordedAt">>(WITHOUT_TIME).sort({ sequence: 1 }).limit(limit)
        .toArray();
      const last = found.at(-1)?.sequence ?? after;
      const isWhole = types !== undefined && found.length < limit;
      return { events: found.map(read), next: isWhole ? Math.max(after, end) : last };
    },
    bounds,
    async find(accountId, _id) {
      const found = await events.findOne({ _id, accountId }, { projection: WITHOUT_TIME });
      return found === null ? null : read(found);
    },
    async findMany(accountId, ids) {
      if (ids.length === 0) return new Map();
      const found = events.find({ _id: { $in: [...ids] }, accountId })
        .project<Omit<StoredEvent, "recordedAt">>(WITHOUT_TIME);
      return new Map((await found.toArray()).map((event) => [event._id, read(event)]));
    },
    async grown(feeds) {
      if (feeds.length === 0) return new Set();
      // Sequences have no gaps, so one look-up shows whether the next event exists.
      const $or = feeds.map(({ accountId, after }) => ({ accountId, sequence: after + 1 }));
      const found = await events.find({ $or }, { projection: { accountId: 1 } }).toArray();
      return new Set(found.map(({ accountId }) => accountId));
    },
    async removeOld(accountId, before) {
      const { oldest, newest } = await bounds(accountId);
      let removed = 0;
      for (let start = oldest; start < newest; start += MAX_SCANNED) {
        const end = Math.min(start + MAX_SCANNED, newest);
        const sequence = { $gte: start, $lt: end };
        const kept = await events.findOne(
          { accountId, sequence, recordedAt: { $gte: before } },
          first,
        );
        const old = { accountId, sequence: { $lt: kept?.sequence ?? end } };
        removed += (await events.deleteMany(old)).deletedCount;
        if (kept !== null) break;
      }
      return removed;
    },
  };
}

function read({ data, ...event }: Omit<StoredEvent, "recordedAt">): RecordedEvent {
  return { ...event, data: JSON.parse(data) };
}
