import {
  type Batch,
  type BatchState,
  MAX_BATCH_PDFS,
  MAX_OPEN_BATCHES,
  type PinnedPdf,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf, type StoredBatch } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { idOfKey } from "./send_acceptance.ts";

/** The result of creating a batch. */
export type BatchCreation =
  /** `replayed`: an earlier request with the same key has created it. */
  | { batch: Batch; replayed: boolean }
  /** The key belongs to another request. */
  | { batch: null };

/** An account has reached its maximum number of open batches. */
export class TooManyBatchesError extends Error {
  override readonly name = "TooManyBatchesError";
}

/** A page of a list of batches, and its filters. */
export interface BatchPage {
  limit: number;
  /** Id of the last batch of the previous page. */
  before?: string | undefined;
  state?: BatchState | undefined;
}

/** Batches, for the account that they belong to. */
export interface BatchStore {
  /**
   * Creates a batch. With an idempotency key that was used before, it returns the earlier one.
   *
   * @throws {TooManyBatchesError} If the account has reached its maximum of open batches.
   */
  create(
    batch: Batch,
    idempotency: { key: string; bodyHash: string } | undefined,
  ): Promise<BatchCreation>;
  /** Finds the batch that was created under an idempotency key; `null` if the key is new, or its batch is. */
  findCreated(
    accountId: string,
    idempotency: { key: string; bodyHash: string },
  ): Promise<BatchCreation | null>;
  /** Finds a batch of an account. */
  find(accountId: string, id: string): Promise<Batch | null>;
  /** Lists the batches of an account, newest first; `before` is the id of the last one seen. */
  list(accountId: string, page: BatchPage): Promise<Batch[]>;
  /**
   * Pins PDF templates for all later recipients of an open batch. What was pinned before stays, and a template has
   * one version under all its names. Returns what is pinned now, unless the batch is not open or would have too many.
   */
  pinPdfs(
    accountId: string,
    id: string,
    pdfs: readonly PinnedPdf[],
  ): Promise<PinnedPdf[] | "closed" | "too_many">;
  /** Closes an open batch. Returns the batch as it is then; `null` if there is none. */
  close(accountId: string, id: string, now: Date): Promise<Batch | null>;
  /** Cancels a batch that is not canceled. Returns the batch as it is then; `null` if there is none. */
  cancel(accountId: string, id: string, now: Date): Promise<Batch | null>;
}

/** How often a free place is tried: requests that come at the same time may take it first. */
const TRIES = 20;

/** Returns the batches of accounts. */
export function batchStore(db: Db): BatchStore {
  const { batches, idempotencyKeys } = collectionsOf(db);

  async function find(accountId: string, _id: string): Promise<Batch | null> {
    const found = await batches.findOne({ _id, accountId });
    return found && toBatch(found);
  }

  async function findCreated(
    accountId: string,
    { key, bodyHash }: { key: string; bodyHash: string },
  ): Promise<BatchCreation | null> {
    const used = await idempotencyKeys.findOne({ _id: idOfKey(accountId, key) });
    if (used === null) return null;
    if (used.bodyHash !== bodyHash) return { batch: null };
    const earlier = await find(accountId, used.sendId);
    return earlier === null ? null : { batch: earlier, replayed: true };
  }

  /** Takes one of the account's places for open batches. */
  async function insert(batch: Batch): Promise<Batch> {
    const { _id, accountId } = batch;
    for (let tried = 0; tried < TRIES; tried++) {
      const used = await batches.find({ accountId, slot: { $gt: 0 } })
        .project<{ slot: number }>({ _id: 0, slot: 1 }).map(({ slot }) => slot).toArray();
      const free = freeSlot(used);
      if (free === undefined) break;
      try {
        await batches.insertOne({ ...toStoredBatch(batch), slot: free });
        return batch;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const first = await find(accountId, _id);
        if (first !== null) return first;
      }
    }
    throw new TooManyBatchesError(`Cannot open the batch: ${MAX_OPEN_BATCHES} are open`);
  }

  async function end(
    accountId: string,
    _id: string,
    { from, to, now }: { from: BatchState[]; to: BatchState; now: Date },
  ): Promise<Batch | null> {
    const ended = await batches.findOneAndUpdate(
      { _id, accountId, state: { $in: from } },
      endOf(to, now),
      { returnDocument: "after" },
    );
    return ended === null ? await find(accountId, _id) : toBatch(ended);
  }

  return {
    async create(batch, idempotency) {
      const { accountId, createdAt: acceptedAt } = batch;
      if (idempotency === undefined) return { batch: await insert(batch), replayed: false };
      const { bodyHash } = idempotency;
      const _id = idOfKey(accountId, idempotency.key);
      const own = { _id, sendId: batch._id, bodyHash, acceptedAt };
      if (await isInserted(own)) return { batch: await insert(batch), replayed: false };
      const earlier = await findCreated(accountId, idempotency);
      if (earlier !== null) return earlier;
      const key = await idempotencyKeys.findOne({ _id });
      if (key === null) return { batch: null };
      // Its process was lost, or is about to write it: under this id only one of them is stored.
      return { batch: await insert({ ...batch, _id: key.sendId }), replayed: false };
    },
    findCreated,
    find,
    async list(accountId, { limit, before, state }) {
      const found = await batches.find({
        accountId,
        ...(state === undefined ? {} : { state }),
        ...(before === undefined ? {} : { _id: { $lt: before } }),
      }).sort({ _id: -1 }).limit(limit).project<StoredBatch>({ request: 0 }).toArray();
      return found.map(toBatch);
    },
    async pinPdfs(accountId, _id, pdfs) {
      for (const pdf of pdfs) {
        await batches.updateOne({
          ...{ _id, accountId, state: "open", "pdfs.ref": { $ne: pdf.ref } },
          [`pdfs.${MAX_BATCH_PDFS - 1}`]: { $exists: false },
        }, pinOf(pdf));
      }
      const batch = await find(accountId, _id);
      if (batch?.state !== "open") return "closed";
      const known = new Set(batch.pdfs.map(({ ref }) => ref));
      return pdfs.every(({ ref }) => known.has(ref)) ? batch.pdfs : "too_many";
    },
    close: (accountId, id, now) => end(accountId, id, { from: ["open"], to: "closed", now }),
    cancel: (accountId, id, now) =>
      end(accountId, id, { from: ["open", "closed"], to: "canceled", now }),
  };

  async function isInserted(key: Parameters<typeof idempotencyKeys.insertOne>[0]) {
    try {
      await idempotencyKeys.insertOne(key);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}

/** Returns the update that ends a batch. Its sends have what they share. */
export function endOf(state: BatchState, now: Date) {
  return {
    $set: { state, endedAt: now, dueAt: now },
    $unset: { slot: "", request: "", progress: "" },
  } as const;
}

/** Returns a free place; by chance, so that requests at the same time rarely meet. */
function freeSlot(used: readonly number[]): number | undefined {
  const taken = new Set(used);
  const free = Array.from({ length: MAX_OPEN_BATCHES }, (_, index) => index + 1)
    .filter((slot) => !taken.has(slot));
  return free[Math.floor(Math.random() * free.length)];
}

/** Returns the update that pins a PDF template: in the version that it is pinned in under another name, if it is. */
function pinOf({ ref, id, version }: PinnedPdf) {
  const same = { $first: { $filter: { input: "$pdfs", cond: { $eq: ["$$this.id", id] } } } };
  const pinned = {
    $let: { vars: { same }, in: { $ifNull: ["$$same.version", version] } },
  };
  const pin = { ref: { $literal: ref }, id, version: pinned };
  return [{ $set: { pdfs: { $concatArrays: ["$pdfs", [pin]] } } }];
}

function toStoredBatch({ request, ...batch }: Batch): StoredBatch {
  return { ...batch, ...(request === undefined ? {} : { request: JSON.stringify(request) }) };
}

/** Returns the batch of a stored document. */
export function toBatch({ request, slot: _slot, ...batch }: StoredBatch): Batch {
  return { ...batch, ...(request === undefined ? {} : { request: JSON.parse(request) }) };
}
