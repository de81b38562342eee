import { setTimeout as delay } from "node:timers/promises";
import { MAIL_SERVICES } from "@posthaste/dev";
import { writeTable } from "@posthaste/chaos";
import { type AccountPlan, fillAccount } from "../../bench_account.ts";
import { cpuBetween, type CpuTimes, readCpu } from "../../process_cpu.ts";
import { openSink } from "../../sink_process.ts";
import type { Invoice } from "../../workload.ts";
import { untilCount } from "./hold.ts";
import { ask, clear, type StageBench } from "./prepare.ts";
import { readFigures } from "./server_figures.ts";
import { openStageFixture, type Replicas, type StageFixture } from "./stage_fixture.ts";

/** What one mail costs from its request to its last line in the ledger, in requests of one recipient. */
export interface WholeMeasurement {
  replicas: number;
  invoice: Invoice;
  perSecond: number;
  /** CPU time in milliseconds, by part. */
  cpuMs: CpuTimes;
  /** Bytes that all members have written to their disks. */
  written: { nats: number; mongod: number };
  /** Times that the primary database waited for its disk. */
  syncs: number;
  /** Bytes that stay: documents as they are before compression, their indexes, and status events in the broker. */
  stored: { send: number; message: number; indexes: number; events: number };
}

const WARM_UP = 100;
const PLAN: Omit<AccountPlan, "smtpPort"> = { name: "whole", pages: 1, maxConnections: 100 };

/** Sends mails through one process of each service. */
export async function measureWhole(
  replicas: Replicas,
  { scale }: { scale: number },
): Promise<WholeMeasurement[]> {
  await using fixture = await openStageFixture(replicas);
  await using sink = await openSink();
  const account = await fillAccount(fixture.store, { ...PLAN, smtpPort: sink.port });
  await Promise.all(MAIL_SERVICES.map((role) => fixture.pods.start(role)));
  let next = 1;
  const measurements: WholeMeasurement[] = [];
  for (const [invoice, units] of [["none", 900 * scale], ["each", 120 * scale]] as const) {
    const bench: StageBench = {
      ...{ fixture, account, takeNumbers: (count) => (next += count) - count },
      stage: { invoice },
    };
    await sendAll(bench, WARM_UP);
    await clear(bench);
    measurements.push({ ...await measure(bench, Math.ceil(units)), replicas, invoice });
    await clear(bench);
  }
  return measurements;
}

async function measure(bench: StageBench, units: number) {
  const { fixture } = bench;
  const before = await readAll(fixture);
  const started = performance.now();
  await sendAll(bench, units);
  const seconds = (performance.now() - started) / 1000;
  await fixture.db.collection("sends").updateMany({ settledAt: null }, {
    $set: { reconcileAt: new Date() },
  });
  const unsettled = () => fixture.db.collection("sends").countDocuments({ settledAt: null });
  await untilCount(unsettled, 0, "sends that are not settled");
  await delay(LAST_WRITES_MS);
  const after = await readAll(fixture);
  const each = (of: (figures: typeof before) => number) => (of(after) - of(before)) / units;
  return {
    perSecond: units / seconds,
    cpuMs: cpuBetween(before.cpu, after.cpu, units),
    written: { nats: each(({ bytes }) => bytes.nats), mongod: each(({ bytes }) => bytes.mongod) },
    syncs: each(({ syncs }) => syncs),
    stored: await storedBy(fixture, units),
  };
}

/** The broker syncs once a second, and statistics are written as often. */
const LAST_WRITES_MS = 2500;

async function sendAll(bench: StageBench, units: number): Promise<void> {
  await ask(bench, units);
  const sent = () => bench.fixture.db.collection("messages").countDocuments({ state: "sent" });
  await untilCount(sent, units, "mails that are sent");
}

async function readAll(fixture: StageFixture) {
  const services = fixture.pods.running()
    .map(({ role, process: { pid } }) => ({ name: role, pid }));
  const figures = await readFigures(fixture, []);
  const { nats = 0, mongod = 0 } = figures.cpu;
  return { ...figures, cpu: { ...readCpu(services), nats, mongod } };
}

const REUSABLE = "file bytes available for reuse";

interface StorageStats {
  size: number;
  totalIndexSize: number;
  indexDetails: Record<string, { "block-manager": { [REUSABLE]: number } }>;
}

async function storedBy({ db, manager }: StageFixture, units: number) {
  // Files grow when a checkpoint is made.
  await db.admin().command({ fsync: 1 });
  const read = async (name: string) => {
    const [stats] = await db.collection(name)
      .aggregate([{ $collStats: { storageStats: {} } }]).toArray();
    const { size, totalIndexSize, indexDetails } = stats?.["storageStats"] as StorageStats;
    // What was cleared away before has left room behind.
    const free = Object.values(indexDetails)
      .reduce((sum, details) => sum + details["block-manager"][REUSABLE], 0);
    return { size, totalIndexSize: totalIndexSize - free };
  };
  const [sends, messages] = await Promise.all([read("sends"), read("messages")]);
  const { state } = await manager.streams.info("STATUS");
  return {
    send: sends.size / units,
    message: messages.size / units,
    indexes: (sends.totalIndexSize + messages.totalIndexSize) / units,
    events: state.bytes / units,
  };
}

const PARTS = [...MAIL_SERVICES, "nats", "mongod"];

/** Writes a table of what one mail costs. */
export function writeWhole(measurements: readonly WholeMeasurement[]): string {
  const cpu = measurements.map(({ replicas, invoice, perSecond, cpuMs }) => [
    `${replicas} servers, ${invoice === "none" ? "no PDF" : "its own PDF"}`,
    perSecond.toFixed(),
    ...PARTS.map((part) => (cpuMs[part] ?? 0).toFixed(2)),
    Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0).toFixed(2),
  ]);
  const bytes = measurements.map(({ replicas, invoice, written, syncs, stored }) => [
    `${replicas} servers, ${invoice === "none" ? "no PDF" : "its own PDF"}`,
    ...[written.nats, written.mongod].map((sum) => sum.toFixed()),
    syncs.toFixed(2),
    ...[stored.send, stored.message, stored.indexes, stored.events].map((sum) => sum.toFixed()),
  ]);
  return [
    ...writeTable(["a mail, CPU ms", "per s", ...PARTS, "together"], cpu),
    "",
    ...writeTable([
      ...["a mail, bytes", "nats writes", "mongod writes", "syncs"],
      ...["kept: send", "message", "indexes", "events"],
    ], bytes),
  ].join("\n");
}
