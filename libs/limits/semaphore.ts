import { type Priority, Turns, type Waiter } from "./_turns.ts";

export type { Priority } from "./_turns.ts";

/** The most units that may be held at a time: of work (1 each), or of memory (bytes). */
export interface SemaphoreOptions {
  /** Units of all permits together. */
  max: number;
  /** Of these, the most that one owner may hold, fixed or by the free units. @default {max} */
  maxPerOwner?: number | ((free: number) => number) | undefined;
}

/** The limit that has no space. */
export type Full = "all" | "owner";

/** Units that are held until it is disposed. */
export interface Permit extends Disposable {
  /** Units that it holds. */
  readonly held: number;
  /** Acquires more units, all or none. Returns the limit that has no space for them. */
  grow(amount: number): Full | undefined;
}

/** Options of a wait for a permit. */
export interface AcquireOptions {
  /** @default {1} */
  amount?: number;
  /** @default {"transactional"} */
  priority?: Priority;
  /** Ends the wait, with its reason. */
  signal?: AbortSignal;
}

/** Options of a wait for a permit with a time limit. */
export interface AcquireInTimeOptions extends AcquireOptions {
  /** Longest wait, in milliseconds. */
  maxWaitMs: number;
}

/**
 * A counting semaphore that is fair to owners: accounts, networks. Each owner waits in a queue of its own,
 * and the next permit goes to the owner that holds the fewest units; among equals, owners take turns. The
 * only permit, of all or of its owner, may have any size.
 */
export interface Semaphore {
  /** Units that may be held. */
  readonly max: number;
  /** Units that are held. */
  readonly held: number;
  /** The number of waiters. */
  readonly waiting: number;
  /** Returns how many waiters come before a new one, if all have the same owner and no more come. */
  waitersBefore(priority: Priority): number;
  /** Returns a permit if there is space and no earlier waiter. A permit without units always fits. */
  tryAcquire(owner?: string, amount?: number): Permit | undefined;
  /** Waits for a permit. @throws The signal's reason */
  acquire(owner?: string, options?: AcquireOptions): Promise<Permit>;
  /** Waits for a permit, and returns `undefined` if there is none in time. @throws The signal's reason */
  acquire(owner: string, options: AcquireInTimeOptions): Promise<Permit | undefined>;
  /** Changes `max`. Units held beyond it stay. */
  resize(max: number): void;
}

/** Opens a semaphore of which nothing is held. */
export function openSemaphore(options: SemaphoreOptions): Semaphore {
  const { maxPerOwner = Infinity } = options;
  let { max } = options;
  let held = 0;
  const byOwner = new Map<string, number>();
  const heldBy = (owner: string) => byOwner.get(owner) ?? 0;
  const turns = new Turns<Permit>({ heldBy, isOwnerFull });

  function isOwnerFull(owner: string, amount: number, own = 0): boolean {
    const most = typeof maxPerOwner === "number" ? maxPerOwner : maxPerOwner(max - held);
    return heldBy(owner) > own && heldBy(owner) + amount > most;
  }

  /** Returns the limit without space. @param own The units that the same permit already has. */
  function fullFor(owner: string, amount: number, own = 0): Full | undefined {
    if (amount === 0) return undefined;
    if (held > own && held + amount > max) return "all";
    return isOwnerFull(owner, amount, own) ? "owner" : undefined;
  }

  function count(owner: string, amount: number): void {
    held += amount;
    const left = heldBy(owner) + amount;
    if (left > 0) byOwner.set(owner, left);
    else byOwner.delete(owner);
  }

  function give(owner: string, amount: number): Permit {
    let own = amount;
    let isOver = false;
    count(owner, own);
    return {
      get held() {
        return own;
      },
      grow(more) {
        if (isOver) return undefined;
        const full = fullFor(owner, more, own);
        if (full !== undefined) return full;
        own += more;
        count(owner, more);
        return undefined;
      },
      [Symbol.dispose]() {
        if (isOver) return;
        isOver = true;
        count(owner, -own);
        own = 0;
        handOut();
      },
    };
  }

  /** Grants permits. The next waiter keeps its turn until there is space, however many units it waits for. */
  function handOut(): void {
    for (let waiter = turns.next(); waiter !== undefined; waiter = turns.next()) {
      if (fullFor(waiter.owner, waiter.amount) !== undefined) return;
      turns.end(waiter);
      // Immediately: a later caller must not find the space free.
      waiter.start(give(waiter.owner, waiter.amount));
    }
  }

  function tryAcquire(owner = "", amount = 1): Permit | undefined {
    if (fullFor(owner, amount) !== undefined) return undefined;
    return amount > 0 && turns.next() !== undefined ? undefined : give(owner, amount);
  }

  async function wait(
    waiter: Omit<Waiter<Permit>, "start">,
    { signal, maxWaitMs }: Partial<AcquireInTimeOptions>,
  ): Promise<Permit | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Permit | undefined>();
    const waiting = { ...waiter, start: resolve };
    turns.add(waiting);
    const leave = () => {
      // It may have blocked others for whom there is space.
      if (turns.remove(waiting)) handOut();
    };
    const onLate = () => {
      leave();
      resolve(undefined);
    };
    const onAbort = () => {
      leave();
      reject(signal?.reason);
    };
    const timer = maxWaitMs === undefined ? undefined : setTimeout(onLate, maxWaitMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  function acquire(owner?: string, options?: AcquireOptions): Promise<Permit>;
  function acquire(owner: string, options: AcquireInTimeOptions): Promise<Permit | undefined>;
  async function acquire(
    owner = "",
    options: Partial<AcquireInTimeOptions> = {},
  ): Promise<Permit | undefined> {
    const { amount = 1, priority = "transactional", signal } = options;
    signal?.throwIfAborted();
    return tryAcquire(owner, amount) ?? await wait({ owner, amount, priority }, options);
  }

  return {
    get max() {
      return max;
    },
    get held() {
      return held;
    },
    get waiting() {
      return turns.size;
    },
    waitersBefore: (priority) => turns.before(priority),
    tryAcquire,
    acquire,
    resize(to) {
      max = to;
      handOut();
    },
  };
}
