import { isDuplicateKey } from "./_duplicate_key.ts";

/**
 * Runs a conditional write on a message. Only before its first attempt may the document be missing,
 * and is then inserted by the write itself.
 *
 * @param attempt How often the message was claimed before, by what the worker was told.
 */
export async function insertingFirst<T>(
  attempt: number,
  write: (upsert: boolean) => Promise<T>,
): Promise<T> {
  if (attempt > 0) return await write(false);
  try {
    return await write(true);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // The document is there and does not match; or it was written, matching, a moment ago.
    return await write(false);
  }
}
