import { setTimeout as delay } from "node:timers/promises";
import { watchLoad } from "../../fairness/foreign_load.ts";
import { descendants, type Pod } from "@posthaste/chaos";
import { openCpuLimit } from "./cpu_limit.ts";
import { clear, prepare, type StageBench } from "./prepare.ts";
import type { Stage } from "./stage.ts";
import { figuresBetween, readFigures, type ServerFigures } from "./server_figures.ts";

/** A stage with a number of workers. */
export interface StageMeasurement {
  stage: string;
  unit: string;
  /** How many brokers and databases keep each thing. */
  replicas: number;
  workers: number;
  /** What each worker waited for; nothing if they had all of the machine. */
  waitsFor: string | undefined;
  perSecond: number;
  /** What one unit cost. */
  each: ServerFigures;
  /** Share of the machine that other programs used meanwhile. */
  foreign: number;
}

/** How a stage is measured. */
export interface StagePlan {
  /** The most workers. */
  workers: number;
  replicas: number;
  /** Factor on the amount of work. */
  scale: number;
  isWaiting: boolean;
  /** So much of one core for a worker that waits. */
  cores: number;
  onMeasured(measurement: StageMeasurement): void;
}

/** So much of the measured work warms each worker up. */
const WARM_UP = 0.3;

/** A mailer waits until its peers know of it. */
const PEERS_MS = 5000;

/** Measures a stage with one worker, then with one more, and so on. */
export async function measureStage(
  bench: StageBench & { stage: Stage },
  { workers, replicas, scale, isWaiting, cores, onMeasured }: StagePlan,
): Promise<void> {
  const { fixture, stage } = bench;
  const { waiting } = stage;
  const beside = waiting.beside === undefined ? "" : ` and ${waiting.beside}`;
  // Closed last: a limit is gone only when its processes are.
  await using limits = new AsyncDisposableStack();
  await using opened = new AsyncDisposableStack();
  const pods: Pod[] = [];
  opened.defer(async () => {
    await Promise.all(pods.map((pod) => fixture.pods.end(pod, "SIGTERM")));
  });
  for (const role of stage.feeders) {
    pods.push(await fixture.pods.start(role));
  }
  const own: Pod[] = [];
  const units = Math.ceil((isWaiting ? waiting.units : stage.units) * scale);
  for (let count = 1; count <= workers; count++) {
    const pod = await fixture.pods.start(stage.name, isWaiting ? waiting.settings : {});
    own.push(pod);
    pods.push(pod);
    if (stage.name === "mailer") await delay(PEERS_MS);
    await (await prepare(bench, Math.ceil(WARM_UP * units * count)))(() => undefined);
    await clear(bench);
    if (isWaiting) {
      const limit = limits.use(await openCpuLimit(pod.name, cores));
      const below = await descendants(pod.process.pid);
      await limit.add([pod.process.pid, ...below.map(({ pid }) => pid)]);
    }
    const work = await prepare(bench, units);
    const pids = own.map(({ process }) => process.pid);
    const before = await readFigures(fixture, pids);
    using load = watchLoad();
    let started = 0;
    await work(() => started = performance.now());
    const seconds = (performance.now() - started) / 1000;
    const foreign = load.foreign();
    onMeasured({
      ...{ stage: stage.name, unit: stage.unit, replicas, workers: count, foreign },
      waitsFor: isWaiting ? `${cores} of a core${beside} each` : undefined,
      perSecond: units / seconds,
      each: figuresBetween(before, await readFigures(fixture, pids), units),
    });
    await clear(bench);
  }
}
