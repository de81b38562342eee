/** The order of waiters. Of the permits for which both priorities wait, bulk gets every fourth. */
export type Priority = "transactional" | "bulk";

/** A caller that waits for a permit. */
export interface Waiter<Permit> {
  owner: string;
  amount: number;
  priority: Priority;
  start(permit: Permit): void;
}

/** Facts that determine the next waiter. */
export interface TurnDeps {
  /** Returns the units that an owner holds. */
  heldBy(owner: string): number;
  /** Returns whether an owner cannot hold this many more units. */
  isOwnerFull(owner: string, amount: number): boolean;
}

/** How many permits transactional gets in a row while bulk waits. */
const BULK_PATIENCE = 3;

/** The waiters, in a queue of each owner. */
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

  /** Returns how many waiters come before a new one, if all have the same owner and no more come. */
  before(priority: Priority): number {
    if (priority === "bulk") return this.#size;
    const bulk = this.#queues.bulk.values().reduce((sum, { size }) => sum + size, 0);
    const transactional = this.#size - bulk;
    return transactional + Math.min(bulk, Math.floor(transactional / BULK_PATIENCE));
  }

  add(waiter: Waiter<Permit>): void {
    const queues = this.#queues[waiter.priority];
    const queue = queues.get(waiter.owner);
    if (queue === undefined) queues.set(waiter.owner, new Set([waiter]));
    else queue.add(waiter);
    this.#size++;
  }

  /** Removes a waiter. Returns whether it was waiting. */
  remove(waiter: Waiter<Permit>): boolean {
    const queues = this.#queues[waiter.priority];
    const queue = queues.get(waiter.owner);
    if (queue?.delete(waiter) !== true) return false;
    if (queue.size === 0) queues.delete(waiter.owner);
    this.#size--;
    return true;
  }

  /** Returns the next waiter whose owner may hold more units, if there is one. */
  next(): Waiter<Permit> | undefined {
    const bulk = this.#firstOf("bulk");
    if (bulk !== undefined && this.#passedOver === BULK_PATIENCE) return bulk;
    return this.#firstOf("transactional") ?? bulk;
  }

  /** Removes the next waiter, and moves its owner behind the others. */
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

  /** Returns the first waiter of the owner that holds the fewest units, among those that may hold more. */
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
