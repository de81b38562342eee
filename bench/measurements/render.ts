import type { Bench } from "../bench.ts";
import { postAll } from "../http_load.ts";
import { type Measurement, PRODUCT } from "../measurement.ts";
import { cpuBetween, type CpuTimes } from "../process_cpu.ts";
import { percentiles } from "../statistics.ts";
import { mailVariables } from "../workload.ts";

/** `POST /v1/templates/x/render` beside Handlebars inside of Fastify, alone and crowded. */
export async function render(bench: Bench): Promise<Measurement[]> {
  const { system, scale } = bench;
  const baseline = await bench.baseline("render");
  const measurements: Measurement[] = [];
  for (const connections of [1, 16]) {
    const figure = `render, ${connections} at a time`;
    const requests = Math.round((connections === 1 ? 300 : 2000) * scale);
    const plan = { figure, connections, requests };
    measurements.push(
      await measure(bench, {
        ...plan,
        part: PRODUCT,
        url: system.renderUrl,
        readCpu: () => system.cpu(),
      }),
      await measure(bench, {
        ...plan,
        part: "Fastify + Handlebars in process",
        url: baseline.url,
        readCpu: () => baseline.cpu(),
      }),
    );
  }
  return measurements;
}

interface Plan {
  figure: string;
  part: string;
  url: string;
  connections: number;
  requests: number;
  readCpu(): CpuTimes;
}

async function measure({ system }: Bench, plan: Plan): Promise<Measurement> {
  const { figure, part, url, connections, requests, readCpu } = plan;
  await system.untilQuiet();
  const before = readCpu();
  const { durationMs, latencies } = await postAll({
    to: () => ({ url, headers: system.headers }),
    requests,
    connections,
    body: (index) => JSON.stringify(mailVariables(index)),
  });
  return {
    figure,
    part,
    unit: "request",
    rate: requests / durationMs * 1000,
    latencyMs: percentiles(latencies),
    cpuMs: cpuBetween(before, readCpu(), requests),
  };
}
