/**
 * The least time between two runs of work that is done for several callers together. What comes alone need not wait,
 * and what comes often is done together, once in each interval.
 */
export class Throttle {
  readonly #everyMs: number;
  readonly #clock: { now(): number };
  #begunAt = -Infinity;

  /**
   * @param everyMs Least time from the beginning of one run to that of the next, in milliseconds.
   * @param clock A monotonic clock in milliseconds.
   */
  constructor(everyMs: number, clock: { now(): number } = performance) {
    this.#everyMs = everyMs;
    this.#clock = clock;
  }

  /** How long the next run must wait, in milliseconds. */
  get waitMs(): number {
    return Math.max(0, this.#begunAt + this.#everyMs - this.#clock.now());
  }

  /** Call it when a run begins. */
  begin(): void {
    this.#begunAt = this.#clock.now();
  }
}
