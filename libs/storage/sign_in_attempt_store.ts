import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import type { SignInAttemptCount } from "./sign_in_attempt_count.ts";

/** Limits of failed attempts; times are in milliseconds. */
export interface SignInAttemptLimits {
  /** Failures that cause no wait. */
  free: number;
  /** Wait after the next failure; it doubles with each further one. */
  waitMs: number;
  longestWaitMs: number;
  /** Failures are forgotten after this time without another. */
  keptMs: number;
}

/** Failed attempts, counted over all processes. */
export interface SignInAttemptStore {
  /** Returns the ends of the current waits under these ids. */
  findWaits(ids: readonly string[], at: Date): Promise<Date[]>;
  /** Counts an attempt as failed, unless it must wait. Concurrent attempts are all counted. */
  count(id: string, limits: SignInAttemptLimits, at: Date): Promise<SignInAttemptCount>;
  /** Takes back that an attempt failed. */
  uncount(id: string): Promise<void>;
  forget(id: string): Promise<void>;
}

const NEVER = new Date(0);

/** Returns the operations on failed attempts. */
export function signInAttemptStore(db: Db): SignInAttemptStore {
  const { signInAttempts } = collectionsOf(db);
  return {
    async findWaits(ids, at) {
      const filter = { _id: { $in: [...ids] }, waitUntil: { $gt: at } };
      return (await signInAttempts.find(filter).toArray()).map(({ waitUntil }) => waitUntil);
    },
    async count(id, { free, waitMs, longestWaitMs, keptMs }, at) {
      const age = { $subtract: [at, { $ifNull: ["$lastAt", NEVER] }] };
      const isOld = { $gt: [age, keptMs] };
      const over = { $subtract: ["$failures", free] };
      const wait = { $min: [{ $multiply: [waitMs, { $pow: [2, over] }] }, longestWaitMs] };
      const counted = (value: unknown, kept: string) => ({ $cond: ["$isRefused", kept, value] });
      // One write, so that concurrent attempts are all counted.
      const count = await signInAttempts.findOneAndUpdate({ _id: id }, [
        {
          $set: {
            failures: { $cond: [isOld, 0, "$failures"] },
            waitUntil: { $cond: [isOld, NEVER, "$waitUntil"] },
            lastAt: { $ifNull: ["$lastAt", NEVER] },
          },
        },
        { $set: { isRefused: { $gt: ["$waitUntil", at] } } },
        { $set: { failures: counted({ $add: ["$failures", 1] }, "$failures") } },
        {
          $set: {
            lastAt: counted(at, "$lastAt"),
            waitUntil: counted(
              { $cond: [{ $lt: [over, 0] }, NEVER, { $add: [at, { $toLong: wait }] }] },
              "$waitUntil",
            ),
            forgetAt: new Date(at.getTime() + keptMs),
          },
        },
      ], { upsert: true, returnDocument: "after" });
      if (count === null) {
        throw new Error("Cannot count an attempt: the database returned nothing");
      }
      return count;
    },
    async uncount(id) {
      const filter = { _id: id, failures: { $gt: 0 } };
      await signInAttempts.updateOne(filter, {
        $inc: { failures: -1 },
        $set: { waitUntil: NEVER },
      });
    },
    async forget(id) {
      await signInAttempts.deleteOne({ _id: id });
    },
  };
}
