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

/**
 * Makes `count` places. The transactional lane goes first, and has one place that the bulk lane never
 * holds if there are two or more; the bulk lane gets every fourth place that comes free, so that it
 * never starves. Within a lane it is the turn of the account that holds the fewest places.
 */
export function createFairSlots(count: number): FairSlots {
  const bulkPlaces = Math.max(1, count - 1);
  const queues: Record<Lane, Waiter[]> = { transactional: [], bulk: [] };
  const held = new Map<string, number>();
  let free = count;
  let bulkHeld = 0;
  let passedOver = 0;

  function next(): Waiter | undefined {
    const urgent = first(queues.transactional, held);
    const bulk = bulkHeld < bulkPlaces ? first(queues.bulk, held) : undefined;
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
      held.set(accountId, (held.get(accountId) ?? 0) + 1);
      waiter.start();
    }
  }

  function giveBack({ accountId, lane }: Asker) {
    free++;
    if (lane === "bulk") bulkHeld--;
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
      return () => giveBack(asker);
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
