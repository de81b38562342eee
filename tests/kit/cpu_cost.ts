import process from "node:process";

/** How often {@linkcode cpuTimeOf} and {@linkcode cpuRatio} measure. */
export interface CpuCostOptions {
  /**
   * Measurements per work, of which the smallest counts: other work in the process only adds.
   *
   * @default 5
   */
  runs?: number | undefined;
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
  options: CpuCostOptions = {},
): Promise<number> {
  const [cost] = await leastCosts([work], options);
  return cost ?? 0;
}

/**
 * Returns how many times the CPU time of `reference` the work uses. The two alternate, so that a slow moment
 * of the machine affects both.
 *
 * ```ts
 * const text = (length: number) => () => void maskText("a".repeat(length));
 * // Linear is about 4, quadratic about 16.
 * assert.ok(await cpuRatio(text(400_000), text(100_000)) < 8);
 * ```
 */
export async function cpuRatio(
  work: () => unknown,
  reference: () => unknown,
  options: CpuCostOptions = {},
): Promise<number> {
  const [cost = 0, referenceCost = 0] = await leastCosts([work, reference], options);
  return cost / referenceCost;
}

async function leastCosts(
  works: readonly (() => unknown)[],
  { runs = 5 }: CpuCostOptions,
): Promise<number[]> {
  const costs = works.map((): number[] => []);
  for (const work of works) await work();
  for (let run = 0; run < runs; run++) {
    for (const [index, work] of works.entries()) costs[index]?.push(await measure(work));
  }
  return costs.map((each) => Math.min(...each));
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
