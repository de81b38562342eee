/**
 * Tests the whole system: `npm run chaos`. Each fault is injected into a running system under load. When all
 * is quiet again, four records, kept by separate processes, must agree.
 *
 * @module
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { NOT_TRIED } from "./mutations/mutations.ts";
import { commandOf, type Options, readOptions } from "./options.ts";
import { type PlannedRun, planRuns } from "./plan_runs.ts";
import { problemsOf, writeReport } from "./report.ts";
import { openFixture } from "./fixture/open_fixture.ts";
import { brokenOff, notDone, runFault, type RunResult } from "./run_fault.ts";
import {
  type Detection,
  findMutations,
  tryMutation,
  writeDetections,
} from "./mutations/try_mutation.ts";
import { NotPossibleError } from "./fixture/small_disk.ts";

const KEPT_LINES = 20_000;
const RESULTS = join(import.meta.dirname, "results");

const options = readOptions(process.argv.slice(2));
if (typeof options === "string") process.stdout.write(options);
else if (options.mutation !== undefined) await mutation(options.mutation, options.seed);
else await chaos(options);

async function chaos(options: Options): Promise<void> {
  const started = new Date();
  const command = commandOf(options);
  say(`To repeat it: ${command}`);
  const runs = planRuns(options);
  const results: RunResult[] = [];
  let file = "";
  for (const [at, run] of runs.entries()) {
    const { round, fault } = run;
    say(`\n[${at + 1} of ${runs.length}] ${fault.name}: ${fault.description}`);
    const result = await runOne(run, options.verbose);
    results.push(result);
    say(verdictOf(result));
    for (const line of problemsOf(result)) say(line);
    if (result.problems.length > 0) say(`To see it again: --resume ${round}:${fault.name}`);
    file = await keep(started, { command, seed: options.seed, results });
  }
  process.stdout.write(`\n${writeReport(results)}\n`);
  say(`\nseed ${options.seed}; ${command}\nall figures are in ${file}`);
  const isRed = results.some(({ problems }) => problems.length > 0);
  process.exitCode = isRed || results.every(({ skipped }) => skipped !== undefined) ? 1 : 0;
}

async function runOne(run: PlannedRun, verbose: boolean): Promise<RunResult> {
  const lines: string[] = [];
  const result = await runAndListen(run, (line) => {
    if (verbose && /"(warn|error|fatal)"/i.test(line)) say(line);
    if (lines.push(line) > KEPT_LINES) lines.splice(0, KEPT_LINES / 2);
  });
  if (result.problems.length > 0) {
    await mkdir(RESULTS, { recursive: true });
    await writeFile(join(RESULTS, `${run.name}.log`), `${lines.join("\n")}\n`);
  }
  return result;
}

async function runAndListen(run: PlannedRun, listen: (line: string) => void): Promise<RunResult> {
  try {
    await using fixture = await openFixture({
      settings: run.fault.settings,
      three: run.fault.three,
      brokerDisk: run.fault.brokerDisk,
      databaseDisk: run.fault.databaseDisk,
      proxied: run.fault.proxied,
      onLine: (pod, line) => listen(`${pod} ${line}`),
    });
    return await runFault(fixture, { ...run, run: run.name, onProgress: say });
  } catch (error) {
    if (error instanceof NotPossibleError) return notDone({ ...run, run: run.name }, error.message);
    return brokenOff({ ...run, run: run.name }, error);
  }
}

async function mutation(names: string[], seed: number): Promise<void> {
  const detections: Detection[] = [];
  for (const mutation of findMutations(names)) {
    say(`${mutation.name}: ${mutation.description}; ${mutation.fault} must reveal it`);
    const detection = await tryMutation(mutation, seed);
    detections.push(detection);
    say(`${mutation.name}: ${detection.detected ? "seen" : "NOT SEEN"}; ${detection.evidence}`);
  }
  process.stdout.write(`${writeDetections(detections)}\n`);
  for (const [name, reason] of Object.entries(NOT_TRIED)) say(`${name} is not tried: ${reason}`);
  process.exitCode = detections.every(({ detected }) => detected) ? 0 : 1;
}

function verdictOf(
  { fault, accepted, sent, seconds, problems, skipped, notes }: RunResult,
): string {
  if (skipped !== undefined) return `${fault}: SKIPPED, nothing is tested; ${skipped}`;
  const verdict = problems.length === 0 ? "good" : `RED, ${problems.length} problems`;
  return `${fault}: ${verdict}; ${accepted} accepted, ${sent} sent, ${seconds} s${
    notes.map((note) => `; ${note}`).join("")
  }`;
}

/** Written after each run, so that an aborted series keeps its results. */
async function keep(at: Date, result: object): Promise<string> {
  await mkdir(RESULTS, { recursive: true });
  const file = join(RESULTS, `${at.toISOString().replaceAll(":", "-")}.json`);
  await writeFile(file, `${JSON.stringify({ at, ...result }, undefined, 2)}\n`);
  return file;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
