import { setTimeout as delay } from "node:timers/promises";
import { MAIL_SERVICES } from "@posthaste/dev";
import { writeTable } from "@posthaste/chaos";
import { cpuBetween, type CpuTimes, readCpu } from "../../process_cpu.ts";
import { openStageFixture, type Replicas } from "./stage_fixture.ts";

/** CPU time in milliseconds per second of a system that has nothing to do, by part. */
export interface IdleMeasurement {
  replicas: number;
  /** Processes of each service. */
  each: number;
  /** Of all processes of a service, all brokers, all databases. */
  cpuMs: CpuTimes;
}

const REST_MS = 6000;
const MEASURED_MS = 10_000;

/** Measures what processes cost that have nothing to do: one of each service, then two, then three. */
export async function measureIdle(
  replicas: Replicas,
  { workers }: { workers: number },
): Promise<IdleMeasurement[]> {
  await using fixture = await openStageFixture(replicas);
  const measurements: IdleMeasurement[] = [];
  for (let each = 1; each <= workers; each++) {
    await Promise.all(MAIL_SERVICES.map((role) => fixture.pods.start(role)));
    await delay(REST_MS);
    const read = () =>
      readCpu([
        ...fixture.pods.running().map(({ role, process: { pid } }) => ({ name: role, pid })),
        ...fixture.nats.map(({ pid }) => ({ name: "nats", pid })),
        ...fixture.mongod.map(({ pid }) => ({ name: "mongod", pid })),
      ]);
    const before = read();
    await delay(MEASURED_MS);
    const cpuMs = cpuBetween(before, read(), MEASURED_MS / 1000);
    measurements.push({ replicas, each, cpuMs });
  }
  return measurements;
}

const PARTS = [...MAIL_SERVICES, "nats", "mongod"];

/** Writes a table of milliseconds of CPU per second. */
export function writeIdle(measurements: readonly IdleMeasurement[]): string {
  const rows = measurements.map(({ replicas, each, cpuMs }) => [
    `${replicas} servers, ${each} of each`,
    ...PARTS.map((part) => (cpuMs[part] ?? 0).toFixed(1)),
  ]);
  return writeTable(["idle, CPU ms a second", ...PARTS], rows).join("\n");
}
