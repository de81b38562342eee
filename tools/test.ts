/**
 * Runs every test: `npm test`, or `npm test -- services/api` for those below a folder. Broker,
 * database and browser are found or fetched first, and one database serves all tests. What Node
 * makes of the sources is kept for the run, so that not each of a thousand processes compiles them.
 * The dashboard is built once, if its sources have changed.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { globSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import process from "node:process";
import { run } from "node:test";
import { dot } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { buildDashboard } from "@posthaste/dev";
import { openMongod } from "@posthaste/parts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LONGEST_TEST_MS = 180_000;
const INTERRUPTED = 130;
/** So many files are told, of which each took longer than all others. */
const SLOWEST = 10;
const FOLDERS = "{libs,services,dev,cli,tools,e2e,bench,torture,deploy}";

interface Lane {
  of: RegExp;
  atOnce: number;
}

/**
 * Files that start the whole system come last, two of them at a time: half of their time they wait. The
 * torture measures how soon it is answered, so it has nothing beside it that works much.
 */
const LATER: readonly Lane[][] = [
  [{
    of: /^(e2e\/(dashboard\/)?\w+|torture\/(sabotage\/sabotage|hostile\/secrets))_test\.ts$/,
    atOnce: 2,
  }],
  [
    { of: /^torture\/short_test\.ts$/, atOnce: 1 },
    { of: /^(libs\/messaging\/|torture\/hostile\/(accounts|http)_test)/, atOnce: 2 },
  ],
];

/** Programs that some tests take where the machine has them; `.ci/run` installs them. */
const WANTED = [{
  program: "pdftotext",
  loss: "PDFs are read by PDF.js alone; install poppler-utils",
}, {
  program: "smtp-sink",
  loss: "the mailer meets no server but our own; install postfix, and be root to run it",
}, {
  program: "promtool",
  loss: "no alert is seen to fire; install prometheus",
}];

const asked = process.argv.slice(2).map((path) => path.replace(/\/$/, ""));
const files = globSync(`${FOLDERS}/**/*_test.ts`, {
  cwd: ROOT,
  exclude: (path) => path.endsWith("node_modules"),
}).filter((file) => asked.length === 0 || asked.some((path) => file.startsWith(path)))
  // Those of a folder often wait for the same, or all work: by name they are mixed.
  .sort().sort((one, other) => basename(one).localeCompare(basename(other)));

if (files.length === 0) {
  process.stderr.write(`Cannot test: no file ends with "_test.ts" below ${asked.join(", ")}\n`);
  process.exit(2);
}

for (const { program, loss } of WANTED) {
  if (spawnSync(program, ["-v"], { stdio: "ignore" }).error === undefined) continue;
  process.stderr.write(`SKIPPED for want of "${program}": ${loss}\n`);
}

const interruption = new AbortController();
const interrupted = interruption.signal;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => interruption.abort());
}

await buildDashboard({
  root: ROOT,
  signal: interrupted,
  onProgress: (line) => process.stderr.write(`${line}\n`),
}).catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(interrupted.aborted ? INTERRUPTED : 1);
});
const compiled = await mkdtemp(join(tmpdir(), "posthaste-compiled-"));
await using afterwards = new AsyncDisposableStack();
// Tests that were interrupted may still write there.
afterwards.defer(() => rm(compiled, { recursive: true, force: true, maxRetries: 5 }));
await using mongod = await openMongod({
  env: process.env,
  dataDir: await mkdtemp(join(tmpdir(), "posthaste-test-")),
  isTemporary: true,
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
process.env["POSTHASTE_TEST_MONGODB_URL"] = mongod.url;
process.env["NODE_COMPILE_CACHE"] = compiled;

const durations = new Map<string, number>();
process.exitCode = await runAll(files);
if (!interrupted.aborted) tellSlowest();

async function runAll(all: string[]): Promise<number> {
  const isLater = (file: string) => LATER.flat().some(({ of }) => of.test(file));
  const good = [await runSome(all.filter((file) => !isLater(file)), 3)];
  for (const lanes of LATER) {
    const running = lanes.map(({ of, atOnce }) => {
      return runSome(all.filter((file) => of.test(file)), atOnce);
    });
    good.push(...await Promise.all(running));
  }
  return interrupted.aborted ? INTERRUPTED : Number(good.includes(false));
}

/** Runs test files, so many at a time and in their order, and tells whether all passed. */
async function runSome(files: string[], concurrency: number): Promise<boolean> {
  if (files.length === 0 || interrupted.aborted) return true;
  let isGood = true;
  const events = run({
    files,
    cwd: ROOT,
    concurrency,
    timeout: LONGEST_TEST_MS,
    signal: interrupted,
  });
  events.on("test:fail", () => void (isGood = false));
  events.on("test:summary", ({ file, duration_ms }) => {
    if (file !== undefined) durations.set(relative(ROOT, file), duration_ms);
  });
  for await (const text of events.compose(dot)) {
    if (interrupted.aborted) break;
    process.stdout.write(String(text));
  }
  return isGood;
}

function tellSlowest(): void {
  if (durations.size <= SLOWEST) return;
  const sorted = [...durations].sort(([, one], [, other]) => other - one).slice(0, SLOWEST);
  process.stdout.write("Slowest:\n");
  for (const [file, ms] of sorted) {
    process.stdout.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}\n`);
  }
}
