import { PosthasteError } from "./error.ts";
import { isTransient, MAX_PAUSE_MS, pause, pauseMs } from "./retry.ts";

/** One page of a feed. */
export interface FeedPage<Event> {
  /** Oldest first. */
  data: Event[];
  /** The cursor of what follows this page: store it once the events are dealt with. */
  next: string;
}

/** A feed without an end: iterate over it for its events, or over `pages()` for their cursors, too. */
export interface Feed<Event> extends AsyncIterable<Event> {
  /** The pages, one request each. A page without events only moves the cursor on. */
  pages(): AsyncIterable<FeedPage<Event>>;
}

/** How a feed is followed. */
export interface FeedOptions<Event> {
  /** Reads one page, and waits for it where there is nothing yet. */
  readPage(after: string | undefined): Promise<FeedPage<Event>>;
  /** Where it begins. */
  after: string | undefined;
  /** Ends it: the iteration throws the signal's reason. */
  signal: AbortSignal | undefined;
}

/** Makes a feed out of a function that reads one page. Faults that pass do not end it. */
export function followFeed<Event>({ readPage, after, signal }: FeedOptions<Event>): Feed<Event> {
  async function* pages(): AsyncGenerator<FeedPage<Event>> {
    let cursor = after;
    let failed = 0;
    for (;;) {
      const page = await readPage(cursor).catch((error) => {
        if (!(error instanceof PosthasteError) || !isTransient(error)) throw error;
      });
      if (page === undefined) {
        await pause(pauseAfter(++failed), signal);
        continue;
      }
      failed = 0;
      yield page;
      cursor = page.next;
    }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
}

function pauseAfter(failed: number): number {
  const options = { retryAfter: null, now: 0, random: Math.random() };
  return pauseMs(failed, options) ?? MAX_PAUSE_MS;
}
