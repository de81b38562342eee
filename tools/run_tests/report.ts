import type { FileResult } from "./file_result.ts";

/** A test file with its result. */
export interface FileReport extends FileResult {
  file: string;
  /** Output of the file. */
  output: string;
}

const SLOWEST = 10;
const MAX_REASON_LINES = 25;
const MAX_OUTPUT_LINES = 15;

/** Returns whether a file failed: one of its tests failed, or it left something behind. */
export function hasFailed({ failures, leftovers }: FileResult): boolean {
  return failures.length > 0 || leftovers.length > 0;
}

/** Returns the summary of a run: the slowest files, the counts, and what failed last. */
export function summarize(reports: readonly FileReport[], tookMs: number): string {
  const failed = reports.filter(hasFailed);
  const sum = (count: (report: FileReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const counts = [
    `${reports.length} files`,
    `${sum(({ passed }) => passed)} tests passed`,
    `${sum(({ failures }) => failures.length)} failed`,
    `${sum(({ skipped }) => skipped)} skipped`,
    `${(tookMs / 1000).toFixed(0)} s`,
  ];
  const again = failed.map(({ file }) => file).join(" ");
  return [
    ...(reports.length > SLOWEST ? ["Slowest files:", ...slowest(reports), ""] : []),
    counts.join(", "),
    ...failed.map(describeFailed),
    ...(failed.length === 0 ? [] : [`Run again: npm test -- ${again}`]),
    "",
  ].join("\n");
}

function slowest(reports: readonly FileReport[]): string[] {
  return reports.toSorted((one, other) => other.durationMs - one.durationMs).slice(0, SLOWEST)
    .map(({ file, durationMs }) => `${(durationMs / 1000).toFixed(1).padStart(7)} s  ${file}`);
}

function describeFailed({ file, failures, leftovers, output }: FileReport): string {
  const tests = failures.flatMap(({ name, line, reason }) => [
    `  ✖ ${name}${line === 0 ? "" : `  (line ${line})`}`,
    ...indent(reason, MAX_REASON_LINES),
  ]);
  const left = leftovers.map((what) => `  ✖ leaves behind: ${what}`);
  const printed = output.trim() === "" ? [] : [
    "  printed last:",
    ...indent(output.trim().split("\n").slice(-MAX_OUTPUT_LINES).join("\n"), MAX_OUTPUT_LINES),
  ];
  return ["", `FAILED ${file}`, ...tests, ...left, ...printed, ""].join("\n");
}

function indent(text: string, maxLines: number): string[] {
  return text.split("\n").slice(0, maxLines).map((line) => `    ${line}`);
}
