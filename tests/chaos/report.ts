import type { RunResult } from "./run_fault.ts";
import { writeTable } from "./text_table.ts";

const HEAD = [
  "fault",
  "accepted",
  "sent",
  "failed",
  "held",
  "twice",
  "unknown",
  "crashes",
  "injected",
  "lost",
  "invented",
  "last end",
  "bound",
  "seconds",
  "verdict",
];

const SHOWN_PROBLEMS = 6;

/** Returns the table of all runs, and below it the problems of each. */
export function writeReport(results: readonly RunResult[]): string {
  const rows = [...results.map(rowOf), [
    ...rowOf(totalOf(results)).slice(0, -1),
    summaryOf(results),
  ]];
  return [...writeTable(HEAD, rows), ...results.flatMap(problemsOf)].join("\n");
}

function rowOf(result: RunResult): string[] {
  const { accepted, sent, failed, unknown, duplicates, ambiguous, crashes, injected } = result;
  return [
    result.fault,
    ...[accepted, sent, failed, unknown, duplicates, ambiguous, crashes, injected].map(String),
    ...[result.lost, result.invented].map(String),
    ...[result.lastEndSeconds, result.boundSeconds, result.seconds].map((s) => s.toFixed(0)),
    verdictOf(result),
  ];
}

function verdictOf({ problems, skipped }: RunResult): string {
  if (skipped !== undefined) return "SKIPPED";
  return problems.length === 0 ? "good" : `RED ${problems.length}`;
}

/** A skipped run does not count as good. */
function summaryOf(results: readonly RunResult[]): string {
  const skipped = results.filter((result) => result.skipped !== undefined).length;
  const verdict = skipped === results.length ? "SKIPPED" : verdictOf(totalOf(results));
  return skipped === 0 || verdict === "SKIPPED" ? verdict : `${verdict}, ${skipped} SKIPPED`;
}

/** Returns the problems of one run: a few lines for each invariant. */
export function problemsOf(result: RunResult): string[] {
  if (result.skipped !== undefined) return [`\n${result.fault}: SKIPPED, ${result.skipped}`];
  const lines = [...Map.groupBy(result.problems, ({ invariant }) => invariant)].flatMap(
    ([invariant, problems]) => [
      ...problems.slice(0, SHOWN_PROBLEMS).map(({ what }) => `  ${invariant} ${what}`),
      ...(problems.length > SHOWN_PROBLEMS
        ? [`  ${invariant} and ${problems.length - SHOWN_PROBLEMS} more`]
        : []),
    ],
  );
  return lines.length === 0 ? [] : [`\n${result.fault}, run ${result.run}:`, ...lines];
}

function totalOf(results: readonly RunResult[]): RunResult {
  const sum = (of: (result: RunResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    fault: "together",
    run: "",
    seed: "",
    accepted: sum(({ accepted }) => accepted),
    sent: sum(({ sent }) => sent),
    failed: sum(({ failed }) => failed),
    unknown: sum(({ unknown }) => unknown),
    duplicates: sum(({ duplicates }) => duplicates),
    ambiguous: sum(({ ambiguous }) => ambiguous),
    crashes: sum(({ crashes }) => crashes),
    crashedAt: {},
    notes: [],
    injected: sum(({ injected }) => injected),
    lost: sum(({ lost }) => lost),
    invented: sum(({ invented }) => invented),
    lastEndSeconds: Math.max(...results.map(({ lastEndSeconds }) => lastEndSeconds)),
    boundSeconds: Math.max(...results.map(({ boundSeconds }) => boundSeconds)),
    seconds: sum(({ seconds }) => seconds),
    problems: results.flatMap(({ problems }) => problems),
  };
}
