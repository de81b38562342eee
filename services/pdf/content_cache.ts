import { LRUCache } from "lru-cache";

/** Memory for texts that were loaded last, in characters: four of the largest documents. */
const MAX_CHARACTERS = 16_000_000;

/**
 * Loads texts through a cache: one that many messages share is loaded once. A missing text is not cached.
 *
 * @param maxCharacters Size that the cache may have.
 */
export function openContentCache(
  get: (key: string) => Promise<Uint8Array | undefined>,
  maxCharacters: number = MAX_CHARACTERS,
): (key: string) => Promise<string | undefined> {
  const texts = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: ({ length }) => Math.max(1, length),
    // An entry that is evicted while it is loaded is still the answer for all who wait for it.
    ignoreFetchAbort: true,
    fetchMethod: async (key) => {
      const bytes = await get(key);
      return bytes && Buffer.from(bytes).toString();
    },
  });
  return (key) => texts.fetch(key);
}
