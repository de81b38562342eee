import type { BareRun } from "../baseline_process.ts";
import type { Bench } from "../bench.ts";
import type { Measurement } from "../measurement.ts";

/** A bare part to measure, and as what. */
export interface BarePlan extends BareRun {
  figure: string;
  /** How people call it. */
  part: string;
  /** Its name in `bare/worker.ts`. */
  bare: string;
  unit: string;
}

/** Measures a bare part, while the system beside it has nothing to do. */
export async function bareMeasurement(bench: Bench, plan: BarePlan): Promise<Measurement> {
  const { figure, part, unit, bare, ...run } = plan;
  const process = await bench.bare(bare);
  await bench.system.untilQuiet();
  const { rate, cpuMs } = await process.run(run);
  return { figure, part, unit, rate, cpuMs };
}
