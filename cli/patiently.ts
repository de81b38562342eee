import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "./command_error.ts";

const TRIES = 10;
const LONGEST_WAIT_MS = 60_000;

/** Repeats a request that the interface wants to have later. It must be one that may be repeated. */
export async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await request();
    } catch (error) {
      const waitMs = error instanceof CommandError ? error.retryAfterMs : undefined;
      if (waitMs === undefined || waitMs > LONGEST_WAIT_MS || tries === TRIES) throw error;
      await delay(waitMs);
    }
  }
}
