import type { TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

/** The clock of a test, which advances only when the test moves it. */
export interface TestTime {
  /** Resolves after this many milliseconds of this clock. */
  pass(ms: number): Promise<void>;
  /** Advances the clock, and runs the due timers. */
  move(ms: number): Promise<void>;
}

/** Stops `setTimeout()` and `performance.now()` until the test ends. */
export function stopTime({ mock }: TestContext): TestTime {
  // Whole milliseconds: sums of fractions are not exact, and a timer would be due a moment later.
  let now = Math.ceil(performance.now());
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => now);
  return {
    pass: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    async move(ms) {
      now += ms;
      mock.timers.tick(ms);
      await turn();
    },
  };
}
