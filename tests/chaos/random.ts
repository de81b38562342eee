import { createHash } from "node:crypto";

/** A source of choices: the same seed gives the same ones, in the same order. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** True for a share of the calls. */
  chance(share: number): boolean;
  /** A source of its own: what is drawn there changes nothing here. */
  fork(name: string): Random;
}

/** Opens a source of choices (sfc32 by Chris Doty-Humphrey, seeded by SHA-256). */
export function openRandom(seed: string): Random {
  const digest = createHash("sha256").update(seed).digest();
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  function next(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum | 0;
    return (sum >>> 0) / 2 ** 32;
  }
  for (let i = 0; i < 12; i++) next();
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    integer,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError("Cannot pick: the list is empty");
      return list[integer(0, list.length - 1)] as T;
    },
    chance: (share) => next() < share,
    fork: (name) => openRandom(`${seed}/${name}`),
  };
}
