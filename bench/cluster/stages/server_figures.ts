import { readFileSync } from "node:fs";
import { cpuBetween, type CpuTimes, readCpu } from "../../process_cpu.ts";
import type { StageFixture } from "./stage_fixture.ts";

/** What was used up to a moment. */
export interface ServerFigures {
  /** In milliseconds: of the workers, all brokers, all databases. */
  cpu: CpuTimes;
  /** Bytes that all brokers, and all databases, have written to files. */
  bytes: { nats: number; mongod: number };
  /** Times that the primary database waited for its disk. */
  syncs: number;
}

/** Reads what workers and servers have used so far. Linux only. */
export async function readFigures(
  { nats, mongod, db }: StageFixture,
  workers: readonly number[],
): Promise<ServerFigures> {
  const cpu = readCpu([
    ...workers.map((pid) => ({ name: "own", pid })),
    ...nats.map(({ pid }) => ({ name: "nats", pid })),
    ...mongod.map(({ pid }) => ({ name: "mongod", pid })),
  ]);
  const status = await db.admin().command({ serverStatus: 1 });
  return {
    cpu,
    bytes: { nats: sumOf(nats), mongod: sumOf(mongod) },
    syncs: Number(status["wiredTiger"]?.log?.["log sync operations"] ?? 0),
  };
}

/** What was used between two moments, for each unit. */
export function figuresBetween(
  before: ServerFigures,
  after: ServerFigures,
  units: number,
): ServerFigures {
  return {
    cpu: cpuBetween(before.cpu, after.cpu, units),
    bytes: {
      nats: (after.bytes.nats - before.bytes.nats) / units,
      mongod: (after.bytes.mongod - before.bytes.mongod) / units,
    },
    syncs: (after.syncs - before.syncs) / units,
  };
}

function sumOf(servers: readonly { pid: number }[]): number {
  return servers.reduce((sum, { pid }) => sum + writtenBy(pid), 0);
}

/** See proc_pid_io(5): what the process had the system write to storage. */
function writtenBy(pid: number): number {
  const io = readFileSync(`/proc/${pid}/io`, "utf8");
  return Number(/^write_bytes: (\d+)/m.exec(io)?.[1] ?? 0);
}
