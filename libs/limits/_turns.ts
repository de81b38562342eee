/** Who goes first. Of the permits for which both wait, bulk gets every fourth. */
export type Priority = "transactional" | "bulk";

/** Somebody who waits for a permit. */
export interface Waiter<Permit> {
  owner: string;
  amount: number;
  priority: Priority;
  start(permit: Permit): void;
}

/** What the choice of the next one depends on. */
export interface TurnDeps {
  /** Units that an owner holds. */
  heldBy(owner: string): number;
  /** Returns whether an owner holds too much to hold so many units more. */
  isOwnerFull(owner: string, amount: number): boolean;
}

/** How often transactional goes first while bulk waits. */
const BULK_PATIENCE = 3;

/** Those who wait, in a queue of each owner. */
export class Turns<Permit> {
  readonly #deps: TurnDeps;
  /** The owner whose last turn is the longest ago comes first. */
  readonly #queues = {
    transactional: new Map<string, Set<Waiter<Permit>>>(),
    bulk: new Map<string, Set<Waiter<Permit>>>(),
  };
  #passedOver = 0;
  #size = 0;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#size;
  }

  add(waiter: Waiter<Permit>): void {
    const queues = this.#queues[waiter.priority];
    const queue = queues.get(waiter.owner);
    if (queue === undefined) queues.set(waiter.owner, new Set([waiter]));
    else queue.add(waiter);
    this.#size++;
  }

  /** Removes one who does not wait any more. Returns whether it waited. */
  remove(waiter: Waiter<Permit>): boolean {
    const queues = this.#queues[waiter.priority];
    const queue = queues.get(waiter.owner);
    if (queue?.delete(waiter) !== true) return false;
    if (queue.size === 0) queues.delete(waiter.owner);
    this.#size--;
    return true;
  }

  /** Returns who is next, if any of those who wait may hold more. */
  next(): Waiter<Permit> | undefined {
    const bulk = this.#firstOf("bulk");
    if (bulk !== undefined && this.#passedOver === BULK_PATIENCE) return bulk;
    return this.#firstOf("transactional") ?? bulk;
  }

  /** Removes the next one, whose owner then comes behind the others. */
  end(waiter: Waiter<Permit>): void {
    const { owner, priority } = waiter;
    const queues = this.#queues[priority];
    this.remove(waiter);
    const queue = queues.get(owner);
    if (queue !== undefined) {
      queues.delete(owner);
      queues.set(owner, queue);
    }
    const isPassedOver = priority === "transactional" && this.#firstOf("bulk") !== undefined;
    this.#passedOver = isPassedOver ? this.#passedOver + 1 : 0;
  }

  /** The first in line of the owner that holds the fewest units, among those that may hold more. */
  #firstOf(priority: Priority): Waiter<Permit> | undefined {
    const { heldBy, isOwnerFull } = this.#deps;
    let best: Waiter<Permit> | undefined;
    let fewest = Infinity;
    for (const [owner, [first]] of this.#queues[priority]) {
      const held = heldBy(owner);
      if (first === undefined || held >= fewest || isOwnerFull(owner, first.amount)) continue;
      [best, fewest] = [first, held];
    }
    return best;
  }
}
