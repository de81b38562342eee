import { setTimeout as delay } from "node:timers/promises";
import type { Send } from "@posthaste/contracts";
import { failpoint } from "@posthaste/runtime";
import type { Db } from "mongodb";
import { type BatchRefusal, insertIntoBatch } from "./_batch_insert.ts";
import { collectionsOf, type StoredKey } from "./_collections.ts";
import { insertGroup } from "./_insert_group.ts";
import { toSend, toStored } from "./_stored_send.ts";
import { bury } from "./_tombstone.ts";

/** How long an idempotency key is kept, in milliseconds: 7 days. */
export const IDEMPOTENCY_KEPT_MS = 7 * 24 * 3_600_000;

/**
 * The result of accepting a send. `existing` is the send accepted under its idempotency key; null if the key
 * belongs to another request whose send does not exist. `refusal`: why the batch of the send takes no more.
 */
export type Acceptance =
  | { accepted: true }
  | { accepted: false; existing: Send | null; refusal?: BatchRefusal };

/** Acceptance of sends, each idempotency key once. */
export interface SendAcceptance {
  /**
   * Accepts a send: known to a majority and on disk when this returns. Without an idempotency key it is one
   * write. With one, the key is written first, and its `_id` decides among concurrent duplicates. If the key
   * was used before, nothing is written and the earlier send is returned. If a process was lost between both
   * writes, the same request takes over its key. Accepting the same send (by id) again succeeds.
   */
  accept(send: Send): Promise<Acceptance>;
  /** Finds the send of an account under an idempotency key. */
  findByIdempotencyKey(accountId: string, key: string): Promise<Send | null>;
  /**
   * Frees the idempotency keys of sends accepted more than {@linkcode IDEMPOTENCY_KEPT_MS} ago. The sends
   * stay. Returns how many it freed.
   */
  expireIdempotencyKeys(now: Date): Promise<number>;
}

/** A send with its own new key. */
interface KeyedSend {
  send: Send;
  own: StoredKey;
}

const GIVE_UP_MS = 10_000;
const POLL_MS = 10;

/**
 * The send follows its key within milliseconds while its process lives. A takeover too early costs only
 * writes.
 */
const LOST_AFTER_MS = 500;

/** Returns the acceptance of sends. */
export function sendAcceptance(db: Db): SendAcceptance {
  const { sends, idempotencyKeys } = collectionsOf(db);
  const insertSend = insertGroup(sends);
  const insertKey = insertGroup(idempotencyKeys);

  /** Returns the result of writing a send; null if its place is taken, and it is not there. */
  async function insert(send: Send): Promise<Acceptance | null> {
    const { _id, accountId, batchId } = send;
    const done = batchId === undefined
      ? await insertSend(toStored(send))
      : await insertIntoBatch(db, { ...send, batchId });
    if (done === true) return { accepted: true };
    if (await sends.countDocuments({ _id, accountId }, { limit: 1 }) > 0) return { accepted: true };
    return done === false ? null : { accepted: false, existing: null, refusal: done };
  }

  async function findSendOf({ _id, sendId, bodyHash }: StoredKey): Promise<Send | null> {
    const end = _id.indexOf("/");
    const found = await sends.findOne({ _id: sendId, accountId: _id.slice(0, end) });
    return found && { ...toSend(found), idempotency: { key: _id.slice(end + 1), bodyHash } };
  }

  /** Returns the result for a send whose key is written; null while it is undecided. */
  async function acceptUnder(
    key: StoredKey,
    { send, own, isLost }: KeyedSend & { isLost(sendId: string): boolean },
  ): Promise<Acceptance | null> {
    if (key.sendId === send._id) return await insert(send);
    const existing = await findSendOf(key);
    if (existing !== null || key.bodyHash !== own.bodyHash) return { accepted: false, existing };
    if (isLost(key.sendId)) await takeOver(key, own);
    return null;
  }

  /**
   * Takes a key over under a new id: an id contains the time. First blocks the recorded id against its late
   * write.
   */
  async function takeOver({ _id, sendId }: StoredKey, own: StoredKey): Promise<void> {
    if (!await bury(db, sendId)) return;
    const change = { sendId: own.sendId, acceptedAt: own.acceptedAt };
    await idempotencyKeys.updateOne({ _id, sendId }, { $set: change });
  }

  async function acceptKeyed(keyed: KeyedSend): Promise<Acceptance> {
    const { send, own } = keyed;
    const insertOwn = async () => await insertKey(own) ? own : null;
    const isLost = patience(LOST_AFTER_MS);
    let key = await insertOwn();
    failpoint("api.after_key");
    return await repeated(send, async () => {
      key ??= await idempotencyKeys.findOne({ _id: own._id }) ?? await insertOwn();
      const acceptance = key && await acceptUnder(key, { ...keyed, isLost });
      key = null;
      return acceptance;
    });
  }

  return {
    async accept(send) {
      const { _id: sendId, accountId, acceptedAt, idempotency } = send;
      if (idempotency === undefined) {
        return await repeated(send, () => insert(send));
      }
      const { key, bodyHash } = idempotency;
      const own = { _id: idOfKey(accountId, key), sendId, bodyHash, acceptedAt };
      return await acceptKeyed({ send, own });
    },
    async findByIdempotencyKey(accountId, key) {
      const found = await idempotencyKeys.findOne({ _id: idOfKey(accountId, key) });
      return found && await findSendOf(found);
    },
    async expireIdempotencyKeys(now) {
      const before = new Date(now.getTime() - IDEMPOTENCY_KEPT_MS);
      const { deletedCount } = await idempotencyKeys.deleteMany({ acceptedAt: { $lt: before } });
      return deletedCount;
    },
  };
}

/**
 * Retries until there is an answer: a key that was found may be unknown to a majority, and be rolled back.
 */
async function repeated(
  { _id }: Send,
  attempt: () => Promise<Acceptance | null>,
): Promise<Acceptance> {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  for (;;) {
    const acceptance = await attempt();
    if (acceptance !== null) return acceptance;
    if (Date.now() > giveUpAt) {
      throw new Error(`Cannot accept "${_id}": the state of its concurrent duplicate is unknown`);
    }
    await delay(POLL_MS);
  }
}

/** Returns a function that reports whether the same request has waited this long. */
function patience(forMs: number): (what: string) => boolean {
  let asked = { what: "", since: 0 };
  return (what) => {
    if (asked.what !== what) asked = { what, since: performance.now() };
    return performance.now() - asked.since >= forMs;
  };
}

/** Returns the `_id` of an account's idempotency key. No id of an account has a `/`. */
export function idOfKey(accountId: string, key: string): string {
  return `${accountId}/${key}`;
}
