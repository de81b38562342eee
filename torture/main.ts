/**
 * Tortures the whole system: `npm run torture`. Each fault is done to a running system under load;
 * when all is quiet again, four ledgers, kept by separate processes, must agree.
 *
 * @module
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { commandOf, type Options, readOptions } from "./options.ts";
import { problemsOf, writeReport } from "./report.ts";
import { openRig } from "./rig.ts";
import { type Detection, findMutations, trySabotage, writeDetections } from "./sabotage.ts";
import { NOT_TRIED } from "./mutations.ts";
import { runFault, type RunResult } from "./run_fault.ts";

const options = readOptions(process.argv.slice(2));
if (typeof options === "string") process.stdout.write(options);
else if (options.sabotage !== undefined) await sabotage(options.sabotage, options.seed);
else await torture(options);

async function sabotage(names: string[], seed: number): Promise<void> {
  const detections: Detection[] = [];
  for (const mutation of findMutations(names)) {
    say(`${mutation.name}: ${mutation.description}; ${mutation.fault} must reveal it`);
    const detection = await trySabotage(mutation, seed);
    detections.push(detection);
    say(`${mutation.name}: ${detection.detected ? "seen" : "NOT SEEN"}; ${detection.evidence}`);
  }
  process.stdout.write(`${writeDetections(detections)}\n`);
  for (const [name, reason] of Object.entries(NOT_TRIED)) say(`${name} is not tried: ${reason}`);
  process.exitCode = detections.every(({ detected }) => detected) ? 0 : 1;
}

async function torture(options: Options): Promise<void> {
  const started = new Date();
  const command = commandOf(options);
  say(`To repeat it: ${command}`);
  const runs = plannedRuns(options);
  const results: RunResult[] = [];
  for (const [at, { round, fault }] of runs.entries()) {
    say(`\n[${at + 1} of ${runs.length}] ${fault.name}: ${fault.description}`);
    const result = await runOne(options, { round, fault, runs: runs.length });
    results.push(result);
    say(`${verdictOf(result)}; to go on after it: --resume ${round}:${fault.name}`);
    for (const line of problemsOf(result)) say(line);
  }
  process.stdout.write(`\n${writeReport(results)}\n`);
  say(`\nseed ${options.seed}; ${command}`);
  say(`all figures are in ${await keep(started, { command, options, results })}`);
  process.exitCode = results.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

type Planned = { round: number; fault: Options["faults"][number] };

function plannedRuns({ rounds, faults, resume }: Options): Planned[] {
  const all = Array.from({ length: rounds }, (_, i) => i + 1)
    .flatMap((round) => faults.map((fault) => ({ round, fault })));
  if (resume === undefined) return all;
  const at = all.findIndex(({ round, fault }) =>
    round === resume.round && fault.name === resume.fault
  );
  return all.slice(Math.max(0, at));
}

async function runOne(
  { seed, messages, minutes, rounds, faults, verbose }: Options,
  { round, fault }: Planned & { runs: number },
): Promise<RunResult> {
  const share = rounds * faults.length;
  const run = `r${round}-${fault.name}`;
  await using rig = await openRig({
    ...(fault.settings === undefined ? {} : { settings: fault.settings }),
    onLine: (pod, line) => {
      if (verbose && /"(warn|error|fatal)"/i.test(line)) say(`${pod} ${line}`);
    },
  });
  return await runFault(rig, {
    fault,
    run,
    seed: `${seed}/${run}`,
    messages: Math.ceil(messages / share),
    seconds: minutes * 60 / share,
    onProgress: say,
  });
}

function verdictOf({ fault, accepted, sent, seconds, problems }: RunResult): string {
  const verdict = problems.length === 0 ? "good" : `RED, ${problems.length} problems`;
  return `${fault}: ${verdict}; ${accepted} accepted, ${sent} sent, ${seconds} s`;
}

async function keep(at: Date, result: object): Promise<string> {
  const folder = join(import.meta.dirname, "results");
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${at.toISOString().replaceAll(":", "-")}.json`);
  await writeFile(file, `${JSON.stringify({ at, ...result }, undefined, 2)}\n`);
  return file;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
