/**
 * Runs every test: `npm test`, or `npm test -- services/api` for those below a folder. Broker,
 * database and browser are found or fetched first, and one database serves all tests.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { globSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { openMongod } from "@posthaste/parts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LONGEST_TEST_MS = 120_000;
const INTERRUPTED = 130;
const FOLDERS = "{libs,services,dev,cli,tools,e2e,torture}";

/** Programs that some tests take where the machine has them; `.ci/run` installs them. */
const WANTED = [{
  program: "pdftotext",
  loss: "PDFs are read by PDF.js alone; install poppler-utils",
}, {
  program: "smtp-sink",
  loss: "the mailer meets no server but our own; install postfix, and be root to run it",
}];

const asked = process.argv.slice(2).map((path) => path.replace(/\/$/, ""));
const files = globSync(`${FOLDERS}/**/*_test.ts`, {
  cwd: ROOT,
  exclude: (path) => path.endsWith("node_modules"),
}).filter((file) => asked.length === 0 || asked.some((path) => file.startsWith(path))).sort();

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

await using mongod = await openMongod({
  env: process.env,
  dataDir: await mkdtemp(join(tmpdir(), "posthaste-test-")),
  isTemporary: true,
  onProgress: (line) => process.stderr.write(`${line}\n`),
});

process.exitCode = await run(files, { POSTHASTE_TEST_MONGODB_URL: mongod.url });

/** Whole-system tests have the machine for themselves: they come last, one at a time. */
async function run(all: string[], env: Record<string, string>): Promise<number> {
  const whole = all.filter(isWhole);
  const parts = all.filter((file) => !isWhole(file));
  const first = parts.length === 0 ? 0 : await node(["--test-concurrency=3", ...parts], env);
  if (interrupted.aborted) return INTERRUPTED;
  const second = whole.length === 0 ? 0 : await node(["--test-concurrency=1", ...whole], env);
  return interrupted.aborted ? INTERRUPTED : first || second;
}

function isWhole(file: string): boolean {
  return file.startsWith("e2e/") || file.startsWith("torture/");
}

function node(args: string[], env: Record<string, string>): Promise<number> {
  const reporting = ["--test-reporter=dot", `--test-timeout=${LONGEST_TEST_MS}`];
  const child = spawn(process.execPath, ["--test", ...reporting, ...args], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  interrupted.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
}
