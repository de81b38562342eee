import type { Bench } from "../bench.ts";
import { postAll } from "../http_load.ts";
import { type Measurement, PRODUCT } from "../measurement.ts";
import { cpuBetween } from "../process_cpu.ts";
import { monotonicMs } from "../sink_process.ts";
import { percentiles } from "../statistics.ts";
import { sendBody } from "../workload.ts";
import { baselineMeasurement } from "./baseline_measurement.ts";
import { refuseDuplicates, sinkCpu } from "./drain.ts";

const CONNECTIONS = 32;
const ARRIVE_TIMEOUT_MS = 120_000;
const HELD = ["renderer", "tracker"] as const;

/**
 * Many requests of one recipient each, in three steps: acceptance alone, while the stages behind it
 * are held; the mails themselves; and the reconciliation that settles the sends.
 */
export async function single(bench: Bench): Promise<Measurement[]> {
  return [...await acceptThenDrain(bench), ...await floors(bench)];
}

async function acceptThenDrain(bench: Bench): Promise<Measurement[]> {
  const { system, sink } = bench;
  const mails = Math.round(2000 * bench.scale);
  const first = bench.takeNumbers(mails);
  const readCpu = () => ({ ...system.cpu(), sink: sinkCpu(bench) });
  await system.untilQuiet();
  await sink.reset();
  const atStart = readCpu();
  for (const name of HELD) system.stack.services.get(name)?.signal("SIGSTOP");
  const { durationMs, latencies } = await postAll({
    to: () => ({ url: system.sendUrl, headers: system.headers }),
    requests: mails,
    connections: CONNECTIONS,
    body: (index) =>
      JSON.stringify(
        sendBody({ first: first + index, count: 1, invoice: "none", pdfId: system.pdfId }),
      ),
  });
  await system.untilQuiet();
  const accepted = readCpu();
  const started = monotonicMs();
  for (const name of HELD) system.stack.services.get(name)?.signal("SIGCONT");
  const { lastAt } = await sink.waitFor(mails, ARRIVE_TIMEOUT_MS);
  await system.untilQuiet();
  const drained = readCpu();
  await system.reconcile();
  await system.untilQuiet();
  await refuseDuplicates(bench, mails);
  return [
    {
      figure: "single: accept",
      part: PRODUCT,
      unit: "request",
      rate: mails / durationMs * 1000,
      latencyMs: percentiles(latencies),
      cpuMs: cpuBetween(atStart, accepted, mails),
    },
    {
      figure: "single: drain",
      part: PRODUCT,
      unit: "mail",
      rate: mails / (lastAt - started) * 1000,
      cpuMs: cpuBetween(accepted, drained, mails),
    },
    {
      figure: "single: reconciliation",
      part: PRODUCT,
      unit: "send",
      cpuMs: cpuBetween(drained, readCpu(), mails),
    },
  ];
}

async function floors(bench: Bench): Promise<Measurement[]> {
  const { system } = bench;
  const requests = Math.round(2000 * bench.scale);
  const figure = "single: accept";
  const server = await bench.baseline("acceptance");
  await system.untilQuiet();
  const { mongod = 0, nats = 0 } = system.cpu();
  const before = { ...server.cpu(), mongod, nats };
  const body = JSON.stringify(
    sendBody({ first: 0, count: 1, invoice: "none", pdfId: system.pdfId }),
  );
  const { durationMs, latencies } = await postAll({
    to: () => ({ url: server.url }),
    requests,
    connections: CONNECTIONS,
    body: () => body,
  });
  const after = system.cpu();
  const baseline = { ...server.cpu(), mongod: after["mongod"] ?? 0, nats: after["nats"] ?? 0 };
  return [
    {
      figure,
      part: "Fastify + insert + publish",
      unit: "request",
      rate: requests / durationMs * 1000,
      latencyMs: percentiles(latencies),
      cpuMs: cpuBetween(before, baseline, requests),
    },
    await baselineMeasurement(bench, {
      figure,
      part: "MongoDB insert (majority, journal)",
      baseline: "insert",
      unit: "request",
      run: requests,
    }),
    await baselineMeasurement(bench, {
      figure,
      part: "JetStream publish and ack",
      baseline: "publish",
      unit: "request",
      run: 2 * requests,
    }),
  ];
}
