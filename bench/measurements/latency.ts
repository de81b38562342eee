import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { postAll } from "../http_load.ts";
import { type Measurement, PRODUCT } from "../measurement.ts";
import { monotonicMs } from "../sink_process.ts";
import { percentiles } from "../statistics.ts";
import { type Invoice, sendBody } from "../workload.ts";

const PAUSE_MS = 30;
const ARRIVE_TIMEOUT_MS = 20_000;

/** One mail at a time, from the beginning of its request to its arrival, while all is idle. */
export async function latency(bench: Bench): Promise<Measurement[]> {
  return [
    await measure(bench, { invoice: "none", mails: Math.round(50 * bench.scale) }),
    await measure(bench, { invoice: "each", mails: Math.round(30 * bench.scale) }),
  ];
}

async function measure(
  bench: Bench,
  { invoice, mails }: { invoice: Invoice; mails: number },
): Promise<Measurement> {
  const { system, sink } = bench;
  const toArrival: number[] = [];
  await system.untilQuiet();
  for (let mail = 0; mail < mails; mail++) {
    const first = bench.takeNumbers(1);
    const body = JSON.stringify(sendBody({ first, count: 1, invoice, pdfId: system.pdfId }));
    await sink.reset();
    const arrived = sink.waitFor(1, ARRIVE_TIMEOUT_MS);
    const started = monotonicMs();
    await postAll({
      to: () => ({ url: system.sendUrl, headers: system.headers }),
      requests: 1,
      connections: 1,
      body: () => body,
    });
    toArrival.push((await arrived).lastAt - started);
    await delay(PAUSE_MS);
  }
  await system.reconcile();
  return {
    figure: invoice === "none" ? "one mail, idle" : "one mail with its own PDF, idle",
    part: PRODUCT,
    unit: "mail",
    latencyMs: percentiles(toArrival),
  };
}
