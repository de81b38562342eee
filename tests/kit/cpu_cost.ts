import process from "node:process";

/** How often {@linkcode cpuTimeOf} and {@linkcode cpuRatio} measure. */
export interface CpuCostOptions {
  /**
   * Measurements per work, of which the smallest counts: other work in the process only adds.
   *
   * @default 5
   */
  runs?: number | undefined;
  /**
   * What the test demands the result to be below. The work is not measured again once it is: that could only lower
   * the result, so the test would say the same.
   *
   * @default every run is measured
   */
  below?: number | undefined;
}

/** A measurement repeats short work until it used this much, as the clock of the system is coarse. */
const MIN_MEASURED_MS = 5;

/**
 * Returns the CPU time that `work` uses, in milliseconds: the least of a few runs, after one to warm up.
 * Waiting and other processes on a busy machine do not count, so a test may judge it. Other work of this
 * process in the meantime counts, and child processes do not.
 *
 * CPU time differs between machines. Compare it with a reference of the same run, best by
 * {@linkcode cpuRatio}.
 */
export async function cpuTimeOf(
  work: () => unknown,
  { runs = 5, below = 0 }: CpuCostOptions = {},
): Promise<number> {
  let least = Infinity;
  for (let run = 0; run <= runs && least >= below; run++) {
    least = Math.min(least, await measure(work));
  }
  return least;
}

/**
 * Returns how many times the CPU time of `reference` the work uses. The reference should be the shorter work: it
 * is measured in every run.
 *
 * ```ts
 * const text = (length: number) => () => void maskText("a".repeat(length));
 * // Linear is about 4, quadratic about 16.
 * assert.ok(await cpuRatio(text(400_000), text(100_000), { below: 8 }) < 8);
 * ```
 */
export async function cpuRatio(
  work: () => unknown,
  reference: () => unknown,
  { runs, below = 0 }: CpuCostOptions = {},
): Promise<number> {
  const referenceCost = await cpuTimeOf(reference, { runs });
  return await cpuTimeOf(work, { runs, below: below * referenceCost }) / referenceCost;
}

async function measure(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let times = 1;; times++) {
    await work();
    const { user, system } = process.cpuUsage(before);
    const usedMs = (user + system) / 1000;
    if (usedMs >= MIN_MEASURED_MS) return usedMs / times;
  }
}
