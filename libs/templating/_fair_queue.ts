import { Fifo } from "./_fifo.ts";

/** Work that waits for a worker, by account. */
export interface FairQueue<T> {
  readonly size: number;
  readonly add: (owner: string, item: T) => void;
  /** Puts items before all others of their owner, in the given order. */
  readonly putBack: (owner: string, items: readonly T[]) => void;
  /** Returns the owner that used the least time lately, among those whose first item may start. */
  readonly next: (now: number, mayGo: (owner: string, first: T) => boolean) => string | undefined;
  readonly waiting: (owner: string) => number;
  readonly peek: (owner: string) => T | undefined;
  readonly take: (owner: string) => T | undefined;
  /** Removes all matching items and returns them, in order. */
  readonly remove: (matches: (item: T) => boolean) => T[];
  /** Notes how long a job of this owner occupied a worker, in milliseconds. */
  readonly charge: (owner: string, took: number, now: number) => void;
  /** Notes that a fill of this owner was slow. */
  readonly noteSlow: (owner: string, now: number) => void;
  /** Returns whether the last slow fill was within a minute. */
  readonly isSlow: (owner: string, now: number) => boolean;
}

interface Owner<T> {
  readonly items: Fifo<T>;
  used: number;
  usedAt: number;
  servedAt: number;
  slowUntil: number;
}

/** The time after which used time counts half. */
const HALF_LIFE_MS = 10_000;
const SLOW_FOR_MS = 60_000;
const REMEMBERED_OWNERS = 1_000;

/**
 * Opens a queue that serves first the owner who used the least worker time lately. A flood by one or many
 * owners does not delay another owner's single fill.
 */
export function openFairQueue<T>(): FairQueue<T> {
  const owners = new Map<string, Owner<T>>();
  let size = 0;

  function owned(name: string): Owner<T> {
    let owner = owners.get(name);
    if (!owner) {
      owner = { items: new Fifo(), used: 0, usedAt: 0, servedAt: 0, slowUntil: 0 };
      owners.set(name, owner);
    }
    return owner;
  }

  function next(now: number, mayGo: (owner: string, first: T) => boolean): string | undefined {
    let best: { name: string; used: number; servedAt: number } | undefined;
    for (const [name, owner] of owners) {
      const first = owner.items.peek();
      if (first === undefined) continue;
      const used = usedAt(owner, now);
      const { servedAt } = owner;
      const isBefore = !best || used < best.used ||
        (used === best.used && servedAt < best.servedAt);
      if (isBefore && mayGo(name, first)) best = { name, used, servedAt };
    }
    return best?.name;
  }

  function take(name: string): T | undefined {
    const item = owners.get(name)?.items.take();
    if (item !== undefined) size--;
    return item;
  }

  function remove(matches: (item: T) => boolean): T[] {
    const removed = [...owners.values()].flatMap(({ items }) => items.remove(matches));
    size -= removed.length;
    return removed;
  }

  function charge(name: string, took: number, now: number): void {
    const owner = owned(name);
    owner.used = usedAt(owner, now) + took;
    owner.usedAt = owner.servedAt = now;
    if (owners.size <= REMEMBERED_OWNERS) return;
    for (const [other, { items, slowUntil, usedAt: at }] of owners) {
      if (items.size === 0 && slowUntil < now && now - at > SLOW_FOR_MS) owners.delete(other);
    }
  }

  return {
    get size() {
      return size;
    },
    add: (name, item) => {
      owned(name).items.add(item);
      size++;
    },
    putBack: (name, items) => {
      owned(name).items.putBack(items);
      size += items.length;
    },
    next,
    waiting: (name) => owners.get(name)?.items.size ?? 0,
    peek: (name) => owners.get(name)?.items.peek(),
    take,
    remove,
    charge,
    noteSlow: (name, now) => void (owned(name).slowUntil = now + SLOW_FOR_MS),
    isSlow: (name, now) => (owners.get(name)?.slowUntil ?? 0) > now,
  };
}

function usedAt<T>({ used, usedAt: at }: Owner<T>, now: number): number {
  return used * 2 ** ((at - now) / HALF_LIFE_MS);
}
