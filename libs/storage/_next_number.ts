import type { Collection } from "mongodb";
import type { Counter } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";

/** Returns the next integer under a key, from 1. No number is issued twice; some may be skipped. */
export async function nextNumber(counters: Collection<Counter>, key: string): Promise<number> {
  for (;;) {
    try {
      const counter = await counters.findOneAndUpdate(
        { _id: key },
        { $inc: { value: 1 } },
        { upsert: true, returnDocument: "after" },
      );
      if (counter !== null) return counter.value;
    } catch (error) {
      // Two first numbers at the same time: one upsert fails and finds the counter the next time.
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
