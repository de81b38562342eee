import { setTimeout as delay } from "node:timers/promises";

/** An event as a reader of the feed got it. */
export interface ReadEvent {
  id: string;
  sequence: number;
}

/** A program that reads the feed of an account over HTTP, from cursor to cursor, while faults are injected. */
export interface FeedReader extends AsyncDisposable {
  /** Sets the addresses of the interface's processes. */
  use(urls: string[]): void;
  /** Reads on until the event of this number, for at most 15 s. Returns all that it got, in its order. */
  readTo(sequence: number): Promise<ReadEvent[]>;
  /** The answers that no fault explains: a cursor that the feed does not know, a refused request. */
  readonly refusals: string[];
}

/** The longest wait of a request for events, in seconds. */
const WAIT_S = 5;

const REQUEST_TIMEOUT_MS = (WAIT_S + 10) * 1000;
const PAUSE_MS = 200;
const PATIENCE_MS = 15_000;

/** Starts to read the feed of the account of a token. It tries another process after each failed request. */
export function openFeedReader(token: string): FeedReader {
  const over = new AbortController();
  const got: ReadEvent[] = [];
  const refusals: string[] = [];
  let urls: string[] = [];
  let requests = 0;
  let next: string | undefined;

  async function readOn(): Promise<void> {
    const url = urls[requests++ % urls.length];
    if (url === undefined) return void await delay(PAUSE_MS, undefined, { signal: over.signal });
    const after = next === undefined ? "" : `&after=${encodeURIComponent(next)}`;
    const response = await fetch(`${url}/events?limit=100&wait=${WAIT_S}${after}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([over.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    const body = await response.json();
    if (response.ok) {
      got.push(...body.data.map(({ id, sequence }: ReadEvent) => ({ id, sequence })));
      next = body.next;
      return;
    }
    const isBusy = response.status === 429 || response.status >= 500;
    if (!isBusy) refusals.push(`${response.status}: ${body.error}`);
    await delay(PAUSE_MS, undefined, { signal: over.signal });
  }

  async function read(): Promise<void> {
    while (!over.signal.aborted) {
      // A process that was ended does not answer.
      await readOn().catch(() =>
        delay(PAUSE_MS, undefined, { signal: over.signal }).catch(() => undefined)
      );
    }
  }
  const reading = read();

  return {
    use: (given) => void (urls = given),
    async readTo(sequence) {
      const until = performance.now() + PATIENCE_MS;
      while ((got.at(-1)?.sequence ?? 0) < sequence && performance.now() < until) await delay(100);
      return [...got];
    },
    refusals,
    async [Symbol.asyncDispose]() {
      over.abort();
      await reading;
    },
  };
}
