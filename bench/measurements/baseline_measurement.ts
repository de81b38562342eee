import type { BaselineRun } from "../baseline_process.ts";
import type { Bench } from "../bench.ts";
import type { Measurement } from "../measurement.ts";

/** A baseline to measure, and as what. */
export interface BaselinePlan extends BaselineRun {
  figure: string;
  /** How people call it. */
  part: string;
  /** Its name in `baseline/worker.ts`. */
  baseline: string;
  unit: string;
}

/** Measures a baseline, while the system beside it has nothing to do. */
export async function baselineMeasurement(bench: Bench, plan: BaselinePlan): Promise<Measurement> {
  const { figure, part, unit, baseline, ...run } = plan;
  const process = await bench.baseline(baseline);
  await bench.system.untilQuiet();
  const { rate, cpuMs } = await process.run(run);
  return { figure, part, unit, rate, cpuMs };
}
