import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Bench, type Figure, openBench } from "./bench.ts";
import { type BenchOptions, type FigureName, readOptions, USAGE } from "./bench_options.ts";
import { openBenchSystem } from "./bench_system.ts";
import { writeFairnessReport } from "./fairness/fairness_report.ts";
import { measureFairness } from "./fairness/measure_fairness.ts";
import { bulk, bulkFar, bulkWide, queue } from "./measurements/bulk.ts";
import { drain } from "./measurements/drain.ts";
import { events } from "./measurements/events.ts";
import { idle } from "./measurements/idle.ts";
import { latency } from "./measurements/latency.ts";
import { pdfAccounts, pdfEach, pdfLong, pdfShared } from "./measurements/pdf.ts";
import { render } from "./measurements/render.ts";
import { single } from "./measurements/single.ts";
import { telemetry } from "./measurements/telemetry.ts";
import { describeMachine } from "./machine.ts";
import type { Measurement } from "./measurement.ts";
import { monotonicUs, writeProfileReport } from "./profile_report.ts";
import { writeReport } from "./report.ts";
import { openSink } from "./sink_process.ts";

const FIGURES: Record<Exclude<FigureName, "fairness">, Figure> = {
  single,
  bulk,
  "bulk-wide": bulkWide,
  "bulk-far": bulkFar,
  events,
  telemetry,
  "pdf-each": pdfEach,
  "pdf-accounts": pdfAccounts,
  "pdf-long": pdfLong,
  "pdf-shared": pdfShared,
  render,
  latency,
  idle,
  queue,
};

const WARM_UP_SCALE = 0.2;
const SHOWN_WARNINGS = 20;
const EXIT_INTERRUPTED = 130;
const FIRST_PDF = {
  figure: "warm-up",
  mails: 1,
  recipientsPerRequest: 1,
  invoice: "each",
} as const;

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => process.exit(EXIT_INTERRUPTED));
}
const options = readOptions(process.argv.slice(2));
if (options === undefined) process.stdout.write(USAGE);
else {
  const figures = options.figures.filter((name) => name !== "fairness");
  const sinceUs = figures.length > 0 ? await measure({ ...options, figures }) : monotonicUs();
  // The profiles are written when the services end.
  if (options.profileDir) {
    process.stdout.write(`${await writeProfileReport(options.profileDir, { sinceUs })}\n`);
  }
  if (options.figures.includes("fairness")) await compareNeighbours(options);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

type SharedFigure = keyof typeof FIGURES;

/** Returns when the rounds began, after the start of the services and the warm-up. */
async function measure(
  { figures, rounds, scale, profileDir }: BenchOptions & { figures: SharedFigure[] },
): Promise<number> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-bench-"));
  await using sink = await openSink();
  const common = { sinkPort: sink.port, profileDir, onProgress: say };
  const { env } = process;
  await using system = await openBenchSystem({
    ...common,
    env,
    dataDir: join(folder.path, "data"),
  });
  await using bench = openBench({
    system,
    sink,
    openTraced: (url) =>
      openBenchSystem({
        ...common,
        env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: url },
        dataDir: join(folder.path, "traced"),
      }),
  });
  say("warming up");
  const started = performance.now();
  // The baselines print with the browser that the pdf service starts for its first document.
  await drain({ ...bench, scale }, FIRST_PDF);
  await runAll({ ...bench, scale: scale * WARM_UP_SCALE }, figures);
  const sinceUs = monotonicUs();
  const measurements: Measurement[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}`);
    measurements.push(...await runAll({ ...bench, scale }, figures));
  }
  const machine = await describeMachine(process.env, system.browser());
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`${writeReport(measurements)}\n`);
  for (const line of (await bench.warnings()).slice(0, SHOWN_WARNINGS)) say(line);
  const result = { at: new Date(), seconds, rounds, scale, machine, measurements };
  say(`\n${seconds} s; all values are in ${await keep(result)}`);
  return sinceUs;
}

async function runAll(bench: Bench, figures: readonly SharedFigure[]): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const name of figures) measurements.push(...await FIGURES[name](bench));
  return measurements;
}

/** Fairness has no part beside it and needs systems of its own. */
async function compareNeighbours(options: BenchOptions): Promise<void> {
  const { rounds, scale } = options;
  const started = performance.now();
  const results = await measureFairness({ ...options, env: process.env, say });
  process.stdout.write(`${writeFairnessReport(results)}\n`);
  const seconds = Math.round((performance.now() - started) / 1000);
  say(
    `\n${seconds} s; all values are in ${await keep({
      at: new Date(),
      seconds,
      rounds,
      scale,
      results,
    })}`,
  );
}

async function keep(result: { at: Date; [field: string]: unknown }): Promise<string> {
  const folder = fileURLToPath(new URL("./results/", import.meta.url));
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${result.at.toISOString().replaceAll(":", "-")}.json`);
  await writeFile(file, `${JSON.stringify(result, undefined, 2)}\n`);
  return file;
}
