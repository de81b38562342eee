import { fillAccount } from "../../bench_account.ts";
import { openSink } from "../../sink_process.ts";
import { measureStage, type StageMeasurement } from "./measure_stage.ts";
import { type Stage } from "./stage.ts";
import { openStageFixture, type Replicas } from "./stage_fixture.ts";

/** What is measured. */
export interface StagesPlan {
  stages: readonly Stage[];
  replicas: readonly Replicas[];
  /** With all of the machine, or each worker waiting for something. */
  modes: readonly ("full" | "waiting")[];
  workers: number;
  /** So much of one core for a worker that waits. */
  cores: number;
  scale: number;
  say(line: string): void;
  onMeasured(measurement: StageMeasurement): void;
}

/** The most that an integration may be set to. */
const CONNECTIONS = 100;

/** Measures each stage alone, with one worker and with more, on one server of each kind and on three. */
export async function runStages(plan: StagesPlan): Promise<void> {
  for (const replicas of plan.replicas) await runOn(replicas, plan);
}

async function runOn(replicas: Replicas, plan: StagesPlan): Promise<void> {
  const { stages, modes, workers, cores, scale, say, onMeasured } = plan;
  say(`\n${replicas === 1 ? "one broker and one database" : "three brokers and three databases"}`);
  await using fixture = await openStageFixture(replicas);
  await using sink = await openSink();
  const account = await fillAccount(fixture.store, {
    ...{ name: "stages", smtpPort: sink.port, pages: 1, maxConnections: CONNECTIONS },
  });
  let next = 1;
  const takeNumbers = (count: number) => (next += count) - count;
  for (const stage of stages) {
    for (const mode of modes) {
      const isWaiting = mode === "waiting";
      await measureStage({ fixture, stage, account, takeNumbers }, {
        ...{ workers, replicas, scale, isWaiting, cores },
        onMeasured(measurement) {
          say(lineOf(measurement));
          onMeasured(measurement);
        },
      });
    }
  }
  for (const line of new Set(fixture.warnings.slice(0, 10))) say(line.slice(0, 300));
}

function lineOf({ stage, unit, workers, perSecond, each, waitsFor, foreign }: StageMeasurement) {
  const { own = 0, nats = 0, mongod = 0 } = each.cpu;
  return `${stage} ${workers}${waitsFor ? " waiting" : ""}: ${perSecond.toFixed()} ${unit}s/s, ` +
    `CPU ms ${own.toFixed(2)} + nats ${nats.toFixed(2)} + mongod ${mongod.toFixed(2)}, ` +
    `others ${(foreign * 100).toFixed()} %`;
}
