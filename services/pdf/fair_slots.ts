import type { Lane } from "@posthaste/contracts";

/** Who asks for a place. */
export interface Asker {
  accountId: string;
  lane: Lane;
}

/** A number of places, handed out in fairness. */
export interface FairSlots {
  readonly waiting: number;
  /** Waits for a place. Call what it returns once, to give the place back. */
  take(asker: Asker): Promise<() => void>;
}

interface Waiter extends Asker {
  start(): void;
}

/** How often the transactional lane goes first while the bulk lane waits. */
const BULK_PATIENCE = 3;

/** A place of the bulk lane rests so many times as long as it was held. */
const REST_FACTOR = 3;
const LONGEST_REST_MS = 3000;

/** The transactional lane is in use until it has held no place for so long. */
const IN_USE_MS = 100;

/**
 * Makes `count` places. The transactional lane goes first, and has one place that the bulk lane never
 * holds if there are two or more; the bulk lane gets every fourth place that comes free, so that it
 * never starves. While the transactional lane is in use, each place of the bulk lane rests after its
 * work: what both print at once, they print more slowly. Within a lane it is the turn of the account
 * that holds the fewest places.
 */
export function createFairSlots(count: number): FairSlots {
  const bulkPlaces = Math.max(1, count - 1);
  const queues: Record<Lane, Waiter[]> = { transactional: [], bulk: [] };
  const held = new Map<string, number>();
  let free = count;
  let bulkHeld = 0;
  let urgentHeld = 0;
  let passedOver = 0;
  let quiet: NodeJS.Timeout | undefined;
  const resting = new Set<NodeJS.Timeout>();

  function next(): Waiter | undefined {
    const urgent = first(queues.transactional, held);
    const bulk = bulkHeld + resting.size < bulkPlaces ? first(queues.bulk, held) : undefined;
    if (urgent && bulk) {
      const isBulksTurn = passedOver === BULK_PATIENCE;
      passedOver = isBulksTurn ? 0 : passedOver + 1;
      return isBulksTurn ? bulk : urgent;
    }
    return urgent ?? bulk;
  }

  function handOut() {
    while (free > 0) {
      const waiter = next();
      if (waiter === undefined) return;
      const { accountId, lane } = waiter;
      queues[lane].splice(queues[lane].indexOf(waiter), 1);
      free--;
      if (lane === "bulk") bulkHeld++;
      else takeUrgent();
      held.set(accountId, (held.get(accountId) ?? 0) + 1);
      waiter.start();
    }
  }

  function takeUrgent() {
    urgentHeld++;
    clearTimeout(quiet);
    quiet = undefined;
  }

  function rest(heldMs: number) {
    if (urgentHeld === 0 && quiet === undefined) return;
    const timer = setTimeout(() => {
      resting.delete(timer);
      handOut();
    }, Math.min(heldMs * REST_FACTOR, LONGEST_REST_MS)).unref();
    resting.add(timer);
  }

  function endRests() {
    quiet = undefined;
    for (const timer of resting) clearTimeout(timer);
    resting.clear();
    handOut();
  }

  function giveBack({ accountId, lane }: Asker, heldMs: number) {
    free++;
    if (lane === "bulk") {
      bulkHeld--;
      rest(heldMs);
    } else if (--urgentHeld === 0) {
      quiet = setTimeout(endRests, IN_USE_MS).unref();
    }
    const left = (held.get(accountId) ?? 0) - 1;
    if (left > 0) held.set(accountId, left);
    else held.delete(accountId);
    handOut();
  }

  return {
    get waiting() {
      return queues.transactional.length + queues.bulk.length;
    },
    async take(asker) {
      await new Promise<void>((start) => {
        queues[asker.lane].push({ ...asker, start });
        handOut();
      });
      const started = performance.now();
      return () => giveBack(asker, performance.now() - started);
    },
  };
}

/** The first in line of the account that holds the fewest places. */
function first(queue: readonly Waiter[], held: ReadonlyMap<string, number>): Waiter | undefined {
  let best: Waiter | undefined;
  let fewest = Infinity;
  for (const waiter of queue) {
    const places = held.get(waiter.accountId) ?? 0;
    if (places >= fewest) continue;
    [best, fewest] = [waiter, places];
  }
  return best;
}
