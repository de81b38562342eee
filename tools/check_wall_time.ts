import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { findWallTime } from "./find_wall_time.ts";

/** Folders of the root whose tests are about time: chaos tests and benchmarks. */
const EXEMPT = ["tests/chaos", "tests/security", "bench"];

/** Sources that may read a clock, or import a reading. */
const CLOCK = /performance|Date\b|hrtime|\/_test_/;

/**
 * Checks that no test judges wall time, except chaos tests and benchmarks: it would fail on a busy machine,
 * and pass on a fast one regardless of the product.
 *
 * @returns one line per violation.
 */
export function checkWallTime(root: string): string[] {
  const files = globSync(["*/**/*_test.ts", "*/**/_test_*.ts"], {
    cwd: root,
    exclude: (path) => ["node_modules", "dist"].includes(basename(path)),
  }).filter((file) => !EXEMPT.some((folder) => file.startsWith(`${folder}/`))).sort();
  const sources = new Map(
    files.map((file) => [file, readFileSync(join(root, file), "utf8")] as const)
      .filter(([, source]) => CLOCK.test(source)),
  );
  return findWallTime(sources).map(({ file, line, text }) =>
    `${file}:${line} judges wall time: ${text}`
  );
}

if (import.meta.main) {
  const violations = checkWallTime(join(import.meta.dirname, ".."));
  for (const line of violations) process.stdout.write(`${line}\n`);
  if (violations.length > 0) {
    process.stdout.write(
      "Use a fake clock, await an event and assert the order, or compare CPU time (cpuRatio)\n",
    );
  }
  process.exitCode = violations.length === 0 ? 0 : 1;
}
