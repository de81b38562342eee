import { MongoServerError } from "mongodb";

const MAX_TIME_EXPIRED = 50;

/** Returns whether the database stopped an operation that exceeded its `maxTimeMS`. */
export function isTimeExpired(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED;
}
