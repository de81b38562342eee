import { MongoBulkWriteError, MongoServerError } from "mongodb";

const DUPLICATE_KEY = 11000;

/** Returns whether a unique index refused a write. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** Returns whether unique indexes caused every failure within a bulk write. */
export function hasOnlyDuplicateKeys(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return false;
  const faults = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  return error.result.getWriteConcernError() === undefined &&
    faults.length > 0 && faults.every((fault) => fault.code === DUPLICATE_KEY);
}
