import {
  type Collection,
  MongoBulkWriteError,
  type OptionalUnlessRequiredId,
  type WriteError,
} from "mongodb";
import { Throttle } from "@posthaste/runtime";

interface Waiting<T> extends PromiseWithResolvers<boolean> {
  document: T;
}

/** How inserts are grouped. */
export interface InsertGroupOptions {
  /**
   * Least time from one command to the next, in milliseconds: what comes meanwhile is one group. A full group does not
   * wait. @default {0}
   */
  everyMs?: number;
}

const MAX_GROUP_SIZE = 500;
const MAX_COMMANDS = 2;
const DUPLICATE_KEY = 11000;

/**
 * Groups the inserts of one process, for any document, into one command each: a majority then confirms and
 * syncs many at the price of one.
 *
 * @returns A function that inserts a document and returns whether its `_id` was free.
 */
export function insertGroup<T extends { _id: string }>(
  collection: Collection<T>,
  { everyMs = 0 }: InsertGroupOptions = {},
): (document: T) => Promise<boolean> {
  const throttle = new Throttle(everyMs);
  let waiting: Waiting<T>[] = [];
  let commands = 0;
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;

  function plan(): void {
    if (isDue || commands >= MAX_COMMANDS || waiting.length === 0) return;
    // A full group gains nothing by waiting.
    const waitMs = waiting.length < MAX_GROUP_SIZE ? throttle.waitMs : 0;
    if (waitMs > 0) timer ??= setTimeout(flush, waitMs);
    else {
      clearTimeout(timer);
      isDue = true;
      setImmediate(flush);
    }
  }

  async function flush(): Promise<void> {
    timer = undefined;
    isDue = false;
    const group = waiting.slice(0, MAX_GROUP_SIZE);
    waiting = waiting.slice(MAX_GROUP_SIZE);
    commands++;
    throttle.begin();
    plan();
    try {
      const faults = await insert(collection, group.map(({ document }) => document));
      for (const [position, { resolve, reject }] of group.entries()) {
        const fault = faults.get(position);
        if (fault === undefined || fault.code === DUPLICATE_KEY) resolve(fault === undefined);
        else {reject(
            new Error(`Cannot insert into "${collection.collectionName}": code ${fault.code}`),
          );}
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      commands--;
      plan();
    }
  }

  return (document) => {
    const entry = { document, ...Promise.withResolvers<boolean>() };
    waiting.push(entry);
    plan();
    return entry.promise;
  };
}

/**
 * Inserts documents and returns the errors of the others by position. @throws If all outcomes are unknown.
 */
async function insert<T extends { _id: string }>(
  collection: Collection<T>,
  documents: T[],
): Promise<Map<number, WriteError>> {
  try {
    await collection.insertMany(documents as OptionalUnlessRequiredId<T>[], { ordered: false });
    return new Map();
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    // After this error, it is unknown whether any of the documents will stay.
    if (error.result.getWriteConcernError() !== undefined) throw error;
    const faults = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
    if (faults.length === 0) throw error;
    return new Map(faults.map((fault) => [fault.index, fault]));
  }
}
