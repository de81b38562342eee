import {
  type Collection,
  MongoBulkWriteError,
  type OptionalUnlessRequiredId,
  type WriteError,
} from "mongodb";
import { grouped, type GroupOptions } from "./_grouped.ts";

const DUPLICATE_KEY = 11000;

/**
 * Groups the inserts of one process, for any document.
 *
 * @returns A function that inserts a document and returns whether its `_id` was free.
 */
export function insertGroup<T extends { _id: string }>(
  collection: Collection<T>,
  options?: GroupOptions,
): (document: T) => Promise<boolean> {
  return grouped(async (documents: readonly T[]) => {
    const faults = await insert(collection, documents);
    return documents.map((_, position) => {
      const fault = faults.get(position);
      if (fault === undefined || fault.code === DUPLICATE_KEY) return fault === undefined;
      return new Error(`Cannot insert into "${collection.collectionName}": code ${fault.code}`);
    });
  }, options);
}

/**
 * Inserts documents and returns the errors of the others by position. @throws If all outcomes are unknown.
 */
async function insert<T extends { _id: string }>(
  collection: Collection<T>,
  documents: readonly T[],
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
