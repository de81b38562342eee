import { openSemaphore } from "@posthaste/limits";
import {
  hashPassword,
  isOutdated,
  PASSWORD_COST,
  type PasswordCost,
  verifyPassword,
} from "@posthaste/storage";
import { HttpError } from "./http_error.ts";

/** The result of checking a password. */
export interface Trial {
  isRight: boolean;
  /** A new hash to store, if the cost of passwords has risen since this one was set. */
  renewed?: string;
}

/** Hashes passwords for all callers, a few at a time. */
export interface PasswordHasher {
  /** @throws {HttpError} `unavailable` if too many wait. */
  hash(password: string): Promise<string>;
  /**
   * Compares a password with the stored hash. Without a stored hash it takes the same time, and is
   * wrong.
   *
   * @throws {HttpError} `unavailable` if too many wait.
   */
  verify(password: string, stored: string | null | undefined): Promise<Trial>;
}

/** How many hashes may be computed at the same time. */
export interface PasswordHasherOptions {
  /** Hashes at the same time: each takes a core and 19 MiB. @default {2} */
  concurrency?: number;
  /** Calls that may wait besides. @default {50} */
  waiting?: number;
  /** Cost of a hash. @default {PASSWORD_COST} */
  cost?: PasswordCost | undefined;
}

const WAIT_S = 5;

/** Opens the hasher. Any number of concurrent sign-ins use only their share of the machine. */
export function openPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { concurrency = 2, waiting = 50, cost = PASSWORD_COST } = options;
  const permits = openSemaphore({ max: concurrency });
  // Computed ahead, so that the first caller does not wait longer than the others.
  const nobody = hashPassword("nobody's password", cost);

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (permits.held === concurrency && permits.waiting >= waiting) {
      const retryAfter = WAIT_S;
      throw new HttpError("unavailable", "Too many sign-ins at the same time. Try again", {
        retryAfter,
      });
    }
    using _permit = await permits.acquire();
    return await work();
  }

  return {
    hash: (password) => inTurn(() => hashPassword(password, cost)),
    verify: (password, stored) =>
      inTurn(async () => {
        const isRight = await verifyPassword(password, stored ?? await nobody);
        if (!isRight || !stored) return { isRight: false };
        return isOutdated(stored, cost)
          ? { isRight, renewed: await hashPassword(password, cost) }
          : { isRight };
      }),
  };
}
