import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";

/** One check: a command that exits with 0 if it passes. */
export interface Check {
  /** Name of the check, for the summary. */
  name: string;
  /** Program, looked up in `node_modules/.bin` first, and arguments. */
  command: readonly [string, ...string[]];
}

/** Generated files: each command exits with 1 when its file is stale. */
export const GENERATED: readonly Check[] = [
  { name: "settings page", command: ["node", "tools/settings_page.ts", "--check"] },
  { name: "permissions", command: ["node", "tools/write_permissions.ts", "--check"] },
  { name: "OpenAPI document", command: ["node", "tools/openapi.ts", "--check"] },
  { name: "client types", command: ["node", "tools/client_types.ts", "--check"] },
  { name: "notice", command: ["node", "tools/notice.ts", "--check"] },
];

/** The checks of `npm run check`, in their order. */
export const CHECKS: readonly Check[] = [
  { name: "format", command: ["deno", "fmt", "--check"] },
  { name: "lint", command: ["deno", "lint"] },
  // Several checkers would infer most types several times, and the tests need the other core.
  { name: "types", command: ["tsc", "-p", "tsconfig.json", "--singleThreaded"] },
  { name: "imports", command: ["node", "tools/check_imports.ts"] },
  { name: "mod exports", command: ["node", "tools/check_mod_exports.ts"] },
  { name: "wall time", command: ["node", "tools/check_wall_time.ts"] },
  { name: "dependencies", command: ["node", "tools/check_dependencies.ts"] },
  { name: "links", command: ["node", "tools/check_links.ts"] },
  { name: "tables", command: ["node", "tools/check_tables.ts"] },
  { name: "words", command: ["node", "tools/check_words.ts"] },
  { name: "lock file", command: ["node", "tools/check_lock_file.ts"] },
  ...GENERATED,
];

/** The result of one check. */
export interface CheckResult {
  name: string;
  passed: boolean;
  /** Output of the command. */
  output: string;
  seconds: number;
}

/** Runs all checks one after another in a folder, also after failures. */
export async function runChecks(
  checks: readonly Check[],
  options: { cwd: string; onResult?: (result: CheckResult) => void },
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const result = await runCheck(check, options.cwd);
    options.onResult?.(result);
    results.push(result);
  }
  return results;
}

async function runCheck({ name, command }: Check, cwd: string): Promise<CheckResult> {
  const started = performance.now();
  const [program, ...args] = command;
  const bin = join(import.meta.dirname, "../node_modules/.bin");
  const path = [dirname(process.execPath), bin, process.env["PATH"]].join(delimiter);
  const child = spawn(program, args, {
    cwd,
    // The compiler is a program of Go: collecting garbage takes it a quarter more of the processor, and not
    // collecting it a fifth more memory.
    env: { ...process.env, PATH: path, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", GOGC: "off" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close").then(
    ([code]) => ({ passed: code === 0, problem: "" }),
    (error: Error) => ({ passed: false, problem: `Cannot run "${program}": ${error.message}\n` }),
  );
  const [{ passed, problem }, ...printed] = await Promise.all([
    ended,
    text(child.stdout),
    text(child.stderr),
  ]);
  const seconds = (performance.now() - started) / 1000;
  return { name, passed, output: printed.join("") + problem, seconds };
}

if (import.meta.main) {
  const results = await runChecks(CHECKS, {
    cwd: join(import.meta.dirname, ".."),
    onResult: ({ name, passed, output, seconds }) => {
      process.stdout.write(`${passed ? "ok  " : "FAIL"}  ${name}  ${seconds.toFixed(1)} s\n`);
      if (!passed) process.stdout.write(`${output.trimEnd()}\n\n`);
    },
  });
  const failed = results.filter((result) => !result.passed).map((result) => result.name);
  process.stdout.write(
    failed.length === 0
      ? `All ${results.length} checks passed\n`
      : `${failed.length} of ${results.length} checks failed: ${failed.join(", ")}\n`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}
