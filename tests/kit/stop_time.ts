import type { TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

/** The time of a test that stands still until the test moves it. */
export interface TestTime {
  /** Settles after so many milliseconds of this time. */
  pass(ms: number): Promise<void>;
  /** Moves the time, and lets run what became due. */
  move(ms: number): Promise<void>;
}

/** Stops `setTimeout()` and `performance.now()` until the test ends. */
export function stopTime({ mock }: TestContext): TestTime {
  let now = performance.now();
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
