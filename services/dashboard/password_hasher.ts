import { openSemaphore } from "@posthaste/limits";
import {
  hashPassword,
  isOutdated,
  PASSWORD_COST,
  type PasswordCost,
  verifyPassword,
} from "@posthaste/storage";
import { HttpError } from "./http_error.ts";

/** What became of a password that was tried. */
export interface Trial {
  isRight: boolean;
  /** What to store instead, when passwords cost more now than when this one was set. */
  renewed?: string;
}

/** Hashes passwords for all who come, a few at a time. */
export interface PasswordHasher {
  /** @throws {HttpError} `unavailable` if too many wait. */
  hash(password: string): Promise<string>;
  /**
   * Compares a password with what is stored. Where there is nothing stored it takes as long, and is wrong.
   * @throws {HttpError} `unavailable` if too many wait.
   */
  verify(password: string, stored: string | null | undefined): Promise<Trial>;
}

/** How much of it may go on at once. */
export interface PasswordHasherOptions {
  /** Hashes at the same time: each takes a core and 19 MiB. @default {2} */
  atOnce?: number;
  /** Those that may wait beside. @default {50} */
  waiting?: number;
  /** What a hash costs. @default {PASSWORD_COST} */
  cost?: PasswordCost | undefined;
}

const WAIT_S = 5;

/** Opens the hasher. However many sign in at once, their passwords take no more than their share. */
export function openPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { atOnce = 2, waiting = 50, cost = PASSWORD_COST } = options;
  const permits = openSemaphore({ max: atOnce });
  // Made once, ahead: the first who comes must not take longer than the others.
  const nobody = hashPassword("nobody's password", cost);

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (permits.held === atOnce && permits.waiting >= waiting) {
      const retryAfter = WAIT_S;
      throw new HttpError("unavailable", "Too many sign-ins at once. Try again", {
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
