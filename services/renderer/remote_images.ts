import { FetchError, type FetchImage } from "@posthaste/fetching";
import { openSemaphore } from "@posthaste/limits";
import { LRUCache } from "lru-cache";
import { findImages, type ImagePlace, withAddresses } from "./image_references.ts";

/** The result for the images of a document. */
export type Inlined =
  | { type: "done"; html: string }
  /** They failed for good. The reason lists them. */
  | { type: "failed"; reason: string }
  /** They may succeed later. */
  | { type: "later"; afterMs: number };

/** A request for the images of a document. */
export interface ImageRequest {
  accountId: string;
  /** Key under which attempts are counted. */
  messageId: string;
  html: string;
  /** Whether failed images are left out. */
  leaveOut: boolean;
}

/** Fetches the images of documents and embeds them. */
export interface RemoteImages {
  inline(request: ImageRequest): Promise<Inlined>;
}

/** Settings of {@linkcode openRemoteImages}. */
export interface RemoteImagesOptions {
  fetchImage: FetchImage;
  /** Maximum documents of all accounts that wait for images at the same time; one for each account. */
  places: number;
  /** Maximum wait for the images of one document, in milliseconds. @default {10000} */
  timeLimitMs?: number;
  /** How long a fetched image, or a failure, is remembered, in milliseconds. @default {60000} */
  rememberMs?: number;
}

/** The printer takes 4 MB of HTML. */
const MAX_HTML_BYTES = 4 * 1024 ** 2;
const MAX_IMAGES = 50;
const CONCURRENCY = 4;
const MAX_TRIES = 3;
const CACHE_BYTES = 64 * 1024 ** 2;
/** Delay if the account, or the whole service, is busy with other documents. */
const BUSY_MS = 2_000;
/** Delay after the first attempt, and four times as long after each further one. */
const RETRY_MS = 15_000;
/** Maximum addresses in a list for a person. */
const MAX_LISTED = 10;

type Failure = [url: string, error: FetchError];
type Fetched = { address: string } | { error: FetchError };

/**
 * Opens the fetcher of remote images. A document that has to wait, because its account's images are slow or
 * their server fails, releases its slot and is retried later.
 */
export function openRemoteImages(options: RemoteImagesOptions): RemoteImages {
  const { fetchImage, places, timeLimitMs = 10_000, rememberMs = 60_000 } = options;
  const waits = openSemaphore({ max: places, maxPerOwner: 1 });
  const tries = new LRUCache<string, number>({ max: 10_000 });
  const known = new LRUCache<string, Fetched>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (fetched) => "address" in fetched ? fetched.address.length : 1000,
    ttl: rememberMs,
  });

  async function load(accountId: string, url: string, end: AbortSignal): Promise<Fetched> {
    const key = `${accountId} ${url}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const fetched = await fetchImage(url, { owner: accountId, signal: end }).then(
      ({ type, bytes }) => ({ address: `data:${type};base64,${bytes.toString("base64")}` }),
      (error: unknown) => {
        if (error instanceof FetchError) return { error };
        throw error;
      },
    );
    if ("address" in fetched || !fetched.error.retryable) known.set(key, fetched);
    return fetched;
  }

  async function loadAll(
    accountId: string,
    urls: readonly string[],
  ): Promise<Map<string, Fetched>> {
    const end = AbortSignal.timeout(timeLimitMs);
    const fetched = new Map<string, Fetched>();
    const loads = openSemaphore({ max: CONCURRENCY });
    await Promise.all(urls.map(async (url) => {
      using _permit = await loads.acquire();
      fetched.set(url, await load(accountId, url, end));
    }));
    return fetched;
  }

  return {
    async inline({ accountId, messageId, html, leaveOut }) {
      const images = findImages(html);
      const urls = [...new Set(images.flatMap(({ urls }) => urls))];
      if (urls.length === 0) return { type: "done", html };
      if (urls.length > MAX_IMAGES) {
        return { type: "failed", reason: `it names more than ${MAX_IMAGES} images` };
      }
      const isKnown = urls.every((url) => known.has(`${accountId} ${url}`));
      using permit = waits.tryAcquire(accountId, isKnown ? 0 : 1);
      if (permit === undefined) return { type: "later", afterMs: BUSY_MS };
      const fetched = await loadAll(accountId, urls);
      const errors = [...fetched].flatMap(([url, one]): Failure[] =>
        "error" in one ? [[url, one.error]] : []
      );
      const tried = (tries.get(messageId) ?? 0) + 1;
      if (errors.some(([, { retryable }]) => retryable) && tried < MAX_TRIES) {
        tries.set(messageId, tried);
        return { type: "later", afterMs: RETRY_MS * 4 ** (tried - 1) };
      }
      tries.delete(messageId);
      if (errors.length > 0 && !leaveOut) return { type: "failed", reason: reasonOf(errors) };
      return withImages(html, images, fetched);
    },
  };
}

function withImages(
  html: string,
  images: readonly ImagePlace[],
  fetched: ReadonlyMap<string, Fetched>,
): Inlined {
  const addressOf = (url: string) => {
    const one = fetched.get(url);
    return one !== undefined && "address" in one ? one.address : undefined;
  };
  // Counted before it is written: one image may occur a thousand times.
  const added = images.flatMap(({ urls }) => urls).reduce(
    (sum, url) => sum + (addressOf(url)?.length ?? 0),
    0,
  );
  if (Buffer.byteLength(html) + added > MAX_HTML_BYTES) {
    return { type: "failed", reason: "with its images it has more than 4 MB" };
  }
  return { type: "done", html: withAddresses(html, images, addressOf) };
}

function reasonOf(errors: readonly Failure[]): string {
  const listed = errors.slice(0, MAX_LISTED).map(([url, { reason }]) =>
    `${url.slice(0, 200)} (${reason})`
  );
  const more = errors.length > MAX_LISTED ? [`${errors.length - MAX_LISTED} more`] : [];
  return `its images could not be loaded: ${[...listed, ...more].join(", ")}`;
}
