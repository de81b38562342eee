import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { type Measurement, PRODUCT } from "../measurement.ts";
import { cpuBetween } from "../process_cpu.ts";

const DURATION_MS = 60_000;

/** CPU time of a second in which nothing is asked for. */
export async function idle({ system, scale }: Bench): Promise<Measurement[]> {
  await system.untilQuiet();
  const before = system.cpu();
  const started = performance.now();
  await delay(DURATION_MS * scale);
  const seconds = (performance.now() - started) / 1000;
  const cpuMs = cpuBetween(before, system.cpu(), seconds);
  return [{ figure: "idle", part: PRODUCT, unit: "second", cpuMs }];
}
