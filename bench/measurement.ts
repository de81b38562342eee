import type { CpuTimes } from "./process_cpu.ts";
import type { Percentiles } from "./statistics.ts";

/** One measured value of a part, in one round. */
export interface Measurement {
  /** What is compared: `single: accept`. */
  figure: string;
  /** `posthaste`, or the baseline beside it. */
  part: string;
  /** What is counted: `mail`. */
  unit: string;
  /** Units per second. */
  rate?: number;
  latencyMs?: Percentiles;
  /** CPU time per unit in milliseconds, by process. */
  cpuMs?: CpuTimes;
}

/** Name of the system itself among the parts. */
export const PRODUCT = "posthaste";
