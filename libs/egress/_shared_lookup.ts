import { openSemaphore } from "@posthaste/limits";

/** Returns all addresses of a host name. */
export type Lookup = (host: string) => Promise<string[]>;

/** A host name, and the account that named it. */
export interface OwnedName {
  owner: string;
  host: string;
}

/**
 * Look-ups of one account at the same time. The system's resolver holds a thread of the process for each, up to
 * 20 s if no name server answers, and `UV_THREADPOOL_SIZE` / 2 threads look names up.
 */
export const LOOKUPS_OF_OWNER = 2;

/**
 * Shares a look-up among accounts: names of one that nobody answers for must not delay the names of others. The
 * same name is looked up once at a time for an account.
 *
 * @param maxWaitMs Longest wait for other names of the account.
 */
export function shareLookup(lookup: Lookup, maxWaitMs: number) {
  const running = new Map<string, Promise<string[]>>();
  const permits = openSemaphore({ max: Infinity, maxPerOwner: LOOKUPS_OF_OWNER });

  async function start(owner: string, host: string): Promise<string[]> {
    // Held until the system is done, not until the caller gives up: the thread is busy.
    using permit = await permits.acquire(owner, { maxWaitMs });
    if (permit === undefined) throw new Error("other names of the account are looked up");
    return await lookup(host);
  }

  /** @throws What the look-up throws; {@linkcode Error} if the account has to wait too long. */
  return ({ owner, host }: OwnedName): Promise<string[]> => {
    const key = JSON.stringify([owner, host]);
    const known = running.get(key);
    if (known !== undefined) return known;
    const started = start(owner, host).finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}
