import type { Priority } from "@posthaste/contracts";
import { openSemaphore } from "@posthaste/limits";

/** The account and priority of a request for a slot. */
export interface Asker {
  accountId: string;
  priority: Priority;
}

/** A number of slots, assigned fairly. */
export interface FairSlots {
  readonly waiting: number;
  /** Waits for a slot, and returns it. Disposing it releases it. */
  take(asker: Asker): Promise<Disposable>;
}

/** The other slots are for transactional priority alone, if there are two or more. */
const BULK_SHARE = 3 / 4;

/** Transactional priority is in use until it has held no slot for this time. */
const IN_USE_MS = 300;

/**
 * Creates `count` slots. Transactional priority goes first. Bulk priority has at most three quarters of the
 * slots, and gets every fourth released slot, so that it never starves. While transactional priority is in
 * use, bulk priority has less than half of the slots, at least one. Within a priority the next slot goes to the account
 * that holds the fewest.
 */
export function createFairSlots(count: number): FairSlots {
  const places = openSemaphore({ max: count });
  const bulkCount = Math.max(1, Math.floor(count * BULK_SHARE));
  const bulkCountInUse = Math.max(1, Math.floor((count - 1) / 2));
  const bulkPlaces = openSemaphore({ max: bulkCount });
  let urgentHeld = 0;
  let quiet: NodeJS.Timeout | undefined;

  function endUrgent() {
    if (--urgentHeld > 0) return;
    quiet = setTimeout(() => bulkPlaces.resize(bulkCount), IN_USE_MS).unref();
  }

  async function takeUrgent(accountId: string): Promise<Disposable> {
    const taken = new DisposableStack();
    taken.use(await places.acquire(accountId));
    urgentHeld++;
    bulkPlaces.resize(bulkCountInUse);
    clearTimeout(quiet);
    taken.defer(endUrgent);
    return taken;
  }

  async function takeBulk(accountId: string): Promise<Disposable> {
    const taken = new DisposableStack();
    taken.use(await bulkPlaces.acquire(accountId));
    taken.use(await places.acquire(accountId, { priority: "bulk" }));
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
