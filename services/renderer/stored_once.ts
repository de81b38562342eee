import type { StoreContent } from "./event_content.ts";

/** A text is assumed to be in the store for this time after it was put there. */
const SURE_MS = 5_000;
const MAX_KNOWN = 1_000;

/**
 * Puts each text into the store once within five seconds. The messages of a send share large texts: appended PDFs,
 * and equal mails.
 */
export function storedOnce(
  put: StoreContent,
  now: () => number = () => performance.now(),
): StoreContent {
  const known = new Map<string, { at: number; done: Promise<void> }>();
  return async (key, text) => {
    const last = known.get(key);
    if (last !== undefined && now() - last.at < SURE_MS) return await last.done;
    if (known.size >= MAX_KNOWN) known.clear();
    const done = put(key, text);
    known.set(key, { at: now(), done });
    try {
      await done;
    } catch (error) {
      known.delete(key);
      throw error;
    }
  };
}
