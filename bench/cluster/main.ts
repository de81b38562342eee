/**
 * Many machines, on one: `npm run cluster`. Members of a cluster are killed and added under load, and
 * each stage is measured with one worker and with more.
 *
 * @module
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { readOptions, USAGE } from "./options.ts";
import { type IdleMeasurement, measureIdle, writeIdle } from "./stages/measure_idle.ts";
import { measureShards, type ShardsMeasurement, writeShards } from "./shards/measure_shards.ts";
import { measureWhole, type WholeMeasurement, writeWhole } from "./stages/measure_whole.ts";
import type { StageMeasurement } from "./stages/measure_stage.ts";
import { runStages } from "./stages/run_stages.ts";
import { writeStages } from "./stages/stages_report.ts";
import { runSurvive, type Survival, writeSurvival } from "./survive/run_survive.ts";

const RESULTS = join(import.meta.dirname, "../results");
const MESSAGES = 1500;
const SECONDS = 120;

const options = readOptions(process.argv.slice(2));
if (options === undefined) process.stdout.write(USAGE);
else {
  const started = new Date();
  const measurements: StageMeasurement[] = [];
  const idle: IdleMeasurement[] = [];
  const whole: WholeMeasurement[] = [];
  const shards: ShardsMeasurement[] = [];
  let survival: Survival | undefined;
  // Written after each part, so that an aborted run keeps its results.
  const keep = async () => {
    await mkdir(RESULTS, { recursive: true });
    const file = join(RESULTS, `cluster-${started.toISOString().replaceAll(":", "-")}.json`);
    await writeFile(
      file,
      `${JSON.stringify({ started, survival, idle, whole, shards, measurements }, undefined, 2)}\n`,
    );
    return file;
  };
  if (options.survive) {
    const { seed, scale } = options;
    survival = await runSurvive({ ...{ messages: MESSAGES * scale, seconds: SECONDS }, seed, say });
    process.stdout.write(`\n${writeSurvival(survival)}\n\n`);
    await keep();
    if (survival.result.problems.length > 0) process.exitCode = 1;
  }
  if (options.idle) {
    for (const replicas of options.replicas) idle.push(...await measureIdle(replicas, options));
    process.stdout.write(`\n${writeIdle(idle)}\n\n`);
    await keep();
  }
  if (options.whole) {
    for (const replicas of options.replicas) whole.push(...await measureWhole(replicas, options));
    process.stdout.write(`\n${writeWhole(whole)}\n\n`);
    await keep();
  }
  if (options.shards) {
    shards.push(...await measureShards(options));
    process.stdout.write(`\n${writeShards(shards)}\n\n`);
    await keep();
  }
  if (options.stages.length > 0) {
    await runStages({
      ...options,
      say,
      onMeasured: (measurement) => void measurements.push(measurement),
    });
    process.stdout.write(`\n${writeStages(measurements)}\n`);
  }
  say(`\nall figures are in ${await keep()}`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
