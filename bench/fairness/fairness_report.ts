import { spreadOf } from "../statistics.ts";
import type { HealthyRound } from "./measure_healthy.ts";

/** The result of one scenario. */
export interface FairnessResult {
  scenario: string;
  /** Rounds of the healthy account alone: before the noise, and on the next, quiet system. */
  alone: HealthyRound[];
  beside: HealthyRound[];
  /** Messages of the noisy account that were accepted, and mails of it that arrived in the end. */
  queued: number;
  arrived: number;
}

/** The healthy account's p99 beside the noise, divided by its p99 alone; medians of the rounds. */
export function ratioOf({ alone, beside }: FairnessResult): number {
  return medianOf(beside, "p99") / medianOf(alone, "p99");
}

/** Writes the table that a person reads, as Markdown. */
export function writeFairnessReport(results: readonly FairnessResult[]): string {
  const head = [
    "beside",
    "p50 alone",
    "p50",
    "p99 alone",
    "p99",
    "p99 of rounds",
    "ratio",
    "missing",
    "others' CPU, %",
  ];
  const body = results.map((result) => {
    const { scenario, alone, beside } = result;
    return [
      scenario,
      number(medianOf(alone, "p50")),
      number(medianOf(beside, "p50")),
      number(medianOf(alone, "p99")),
      number(medianOf(beside, "p99")),
      beside.map(({ p99 }) => number(p99)).join(", "),
      ratioOf(result).toFixed(1),
      String(beside.reduce((sum, { missing }) => sum + missing, 0)),
      [...alone, ...beside].map(({ foreign }) => (foreign * 100).toFixed()).join(" "),
    ];
  });
  return [
    "A healthy account's mail, from the request to its arrival, in ms; the ratio is that of the p99:",
    "",
    `| ${head.join(" | ")} |`,
    `| ${head.map(() => "---").join(" | ")} |`,
    ...body.map((cells) => `| ${cells.join(" | ")} |`),
  ].join("\n");
}

function medianOf(rounds: readonly HealthyRound[], name: "p50" | "p99"): number {
  return spreadOf(rounds.map((round) => round[name])).median;
}

function number(value: number): string {
  return Math.round(value).toLocaleString("en");
}
