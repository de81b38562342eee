import { openSemaphore } from "@posthaste/limits";
import { HttpError } from "../http_error.ts";

/** Does work for an account when it is its turn. The signal ends the wait for it, with its reason. */
export type PreviewTurns = <T>(
  accountId: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** Previews of this process at the same time, and those of one account. The others wait. */
const MAX = 32;
const MAX_PER_ACCOUNT = 8;

const MAX_WAIT_MS = 20_000;
const RETRY_AFTER_S = 5;

/**
 * Opens the turns of previews: a page that asks for many pictures, or a person with a script, takes the renderers
 * from nobody.
 */
export function openPreviewTurns({ maxWaitMs = MAX_WAIT_MS } = {}): PreviewTurns {
  const permits = openSemaphore({ max: MAX, maxPerOwner: MAX_PER_ACCOUNT });
  return async (accountId, work, signal) => {
    const options = { maxWaitMs, ...(signal === undefined ? {} : { signal }) };
    using permit = await permits.acquire(accountId, options);
    if (permit === undefined) {
      throw new HttpError("unavailable", "Too many previews at the same time. Try again", {
        retryAfter: RETRY_AFTER_S,
      });
    }
    return await work();
  };
}
