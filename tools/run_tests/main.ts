/**
 * Runs the tests: `npm test`, and `npm test -- --help`. Broker, database and browser are found or
 * fetched first; meanwhile run the files that need none. One database server, and one whole system,
 * serve all files that ask for them. Processes run file after file, as many as the machine allows.
 *
 * @module
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { openImportGraph } from "../import_graph.ts";
import { listUnits } from "../workspace_units.ts";
import { listChanged, touchedBy } from "./changed_files.ts";
import { HELP, isAsked, parseOptions } from "./options.ts";
import { planFiles } from "./plan_files.ts";
import { hasFailed, summarize } from "./report.ts";
import { openResources } from "./resources.ts";
import { openRunFolder } from "./run_folder.ts";
import { runFiles } from "./run_files.ts";
import { allowNoSandbox } from "./sandbox.ts";
import { reportMissingPrograms } from "./wanted_programs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const INTERRUPTED = 130;
/** What `byDay()` of `@posthaste/kit` reads. */
const BY_DAY = "POSTHASTE_TEST_BY_DAY";

process.exitCode = await main();

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === "help") {
    process.stdout.write(HELP);
    return 0;
  }
  const graph = openImportGraph(ROOT);
  const units = listUnits(ROOT);
  const all = globSync(units.map(({ folder }) => `${folder}/**/*_test.ts`), {
    cwd: ROOT,
    exclude: (path) => path.endsWith("node_modules"),
  });
  const asked = all.filter((file) => isAsked(file, options.words));
  const { changedSince } = options;
  const files = changedSince === undefined
    ? asked
    : touchedBy(listChanged(ROOT, changedSince), { tests: asked, graph, units });
  if (files.length === 0) {
    process.stderr.write(
      `Cannot test: ${asked.length === 0 ? "no file matches" : "no change touches a test"}\n`,
    );
    return asked.length === 0 ? 2 : 0;
  }
  reportMissingPrograms(say, { night: options.all });
  allowNoSandbox(process.env, say);

  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => interruption.abort());
  }
  const { signal } = interruption;
  const started = performance.now();
  await using folder = await openRunFolder(process.env);
  process.env["TMPDIR"] = folder.path;
  // Node's compile cache is kept for the run: no process compiles a file twice.
  process.env["NODE_COMPILE_CACHE"] = join(folder.path, "compiled");
  const found = planFiles(files, { root: ROOT, graph });
  const isByDay = options.words.length === 0 && changedSince === undefined && !options.all;
  if (isByDay) process.env[BY_DAY] = "1";
  const planned = isByDay ? found.filter(({ needs }) => !needs.night) : found;
  if (planned.length < found.length) {
    say(`${found.length - planned.length} files are left to the night: npm test -- --all`);
  }
  await using resources = openResources(planned, { root: ROOT, signal, onProgress: say });
  const reports = await runFiles(planned, {
    root: ROOT,
    resources,
    signal,
    onReport: (report) => process.stdout.write(hasFailed(report) ? "F" : "."),
  });
  if (signal.aborted) return INTERRUPTED;
  process.stdout.write(`\n${summarize(reports, performance.now() - started)}`);
  return reports.some(hasFailed) ? 1 : 0;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
