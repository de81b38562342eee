import type { Priority } from "@posthaste/contracts";
import { openSemaphore, type Permit } from "@posthaste/limits";

/** Who asks for a place. */
export interface Asker {
  accountId: string;
  priority: Priority;
}

/** A number of places, handed out in fairness. */
export interface FairSlots {
  readonly waiting: number;
  /** Waits for a place, which is free again when it is disposed. */
  take(asker: Asker): Promise<Disposable>;
}

/** The other places are for transactional priority alone, where there are two or more. */
const BULK_SHARE = 3 / 4;

/** A place of bulk priority rests so many times as long as it was held. */
const REST_FACTOR = 3;
const LONGEST_REST_MS = 3000;

/** The transactional priority is in use until it has held no place for so long. */
const IN_USE_MS = 100;

/**
 * Makes `count` places. The transactional priority goes first; bulk priority has at most three quarters of the
 * places, and gets every fourth that comes free, so that it never starves. While transactional priority is
 * in use, each place of bulk priority rests after its work: what both print at once, they print more
 * slowly. Within a priority it is the turn of the account that holds the fewest places.
 */
export function createFairSlots(count: number): FairSlots {
  const places = openSemaphore({ max: count });
  const bulkPlaces = openSemaphore({ max: Math.max(1, Math.floor(count * BULK_SHARE)) });
  const resting = new Map<Permit, NodeJS.Timeout>();
  let urgentHeld = 0;
  let quiet: NodeJS.Timeout | undefined;

  function endRest(bulkPlace: Permit) {
    clearTimeout(resting.get(bulkPlace));
    resting.delete(bulkPlace);
    bulkPlace[Symbol.dispose]();
  }

  function rest(bulkPlace: Permit, heldMs: number) {
    if (urgentHeld === 0 && quiet === undefined) return bulkPlace[Symbol.dispose]();
    const restMs = Math.min(heldMs * REST_FACTOR, LONGEST_REST_MS);
    resting.set(bulkPlace, setTimeout(() => endRest(bulkPlace), restMs).unref());
  }

  function endUrgent() {
    if (--urgentHeld > 0) return;
    quiet = setTimeout(() => {
      quiet = undefined;
      for (const bulkPlace of resting.keys()) endRest(bulkPlace);
    }, IN_USE_MS).unref();
  }

  async function takeUrgent(accountId: string): Promise<Disposable> {
    const taken = new DisposableStack();
    taken.use(await places.acquire(accountId));
    urgentHeld++;
    clearTimeout(quiet);
    quiet = undefined;
    taken.defer(endUrgent);
    return taken;
  }

  async function takeBulk(accountId: string): Promise<Disposable> {
    const taken = new DisposableStack();
    const bulkPlace = await bulkPlaces.acquire(accountId);
    const place = await places.acquire(accountId, { priority: "bulk" });
    const started = performance.now();
    taken.defer(() => rest(bulkPlace, performance.now() - started));
    taken.use(place);
    return taken;
  }

  return {
    get waiting() {
      return places.waiting + bulkPlaces.waiting;
    },
    take: ({ accountId, priority }) =>
      priority === "bulk" ? takeBulk(accountId) : takeUrgent(accountId),
  };
}
