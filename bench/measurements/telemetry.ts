import type { Bench } from "../bench.ts";
import type { Measurement } from "../measurement.ts";
import { type Drain, drain } from "./drain.ts";

/**
 * Mails of a system that sends all its traces and metrics to a collector, beside the same mails of a system without a
 * collector.
 */
export async function telemetry(bench: Bench): Promise<Measurement[]> {
  const traced = { ...bench, system: await bench.traced() };
  const mails = Math.max(1, Math.round(3000 * bench.scale));
  const plans: Drain[] = [
    { figure: "bulk mail, traced", mails, recipientsPerRequest: 1000, invoice: "none" },
    {
      ...{ figure: "single mail, traced", mails: Math.max(1, Math.round(mails / 3)) },
      ...{ recipientsPerRequest: 1, invoice: "none" },
    },
  ];
  const measurements: Measurement[] = [];
  for (const plan of plans) {
    const both = [
      () => drain(traced, plan),
      () => drain(bench, { ...plan, part: "no collector" }),
    ];
    // The first one may find a machine that is less warm.
    for (const measure of Math.random() < 0.5 ? both : both.toReversed()) {
      measurements.push(await measure());
    }
  }
  return measurements;
}
