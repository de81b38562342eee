import { type Measurement, PRODUCT } from "./measurement.ts";
import { totalCpu } from "./process_cpu.ts";
import { spreadOf } from "./statistics.ts";

/** The processes, in the order of the flow; the sink is no part of the system. */
const PROCESSES = [
  "api",
  "renderer",
  "sandbox",
  "pdf",
  "chromium",
  "mailer",
  "tracker",
  "webhooks",
  "nats",
  "mongod",
] as const;

interface Row {
  figure: string;
  part: string;
  unit: string;
  rounds: Measurement[];
}

/** Writes the tables that a person reads, as Markdown. */
export function writeReport(measurements: readonly Measurement[]): string {
  const rows = rowsOf(measurements);
  return [
    "Throughput and cost (median, smallest and largest of the rounds):",
    "",
    table(
      ["what", "part", "per second", "min–max", "× bare", "CPU ms each", "× bare CPU"],
      rows.filter(({ rounds }) => rounds[0]?.rate !== undefined).map((row) => speedOf(row, rows)),
    ),
    "",
    "Latency in milliseconds:",
    "",
    table(
      ["what", "part", "p50", "p50 min–max", "p95", "p99"],
      rows.filter(({ rounds }) => rounds[0]?.latencyMs).map(latencyOf),
    ),
    "",
    "CPU milliseconds of one unit by process (the sink is not counted):",
    "",
    table(
      ["what", ...PROCESSES, "total", "sink"],
      rows.filter(({ part, rounds }) => part === PRODUCT && rounds[0]?.cpuMs).map(cpuOf),
    ),
  ].join("\n");
}

function rowsOf(measurements: readonly Measurement[]): Row[] {
  const rows = new Map<string, Row>();
  for (const measurement of measurements) {
    const { figure, part, unit } = measurement;
    const key = `${figure}\n${part}`;
    const row = rows.get(key) ?? { figure, part, unit, rounds: [] };
    row.rounds.push(measurement);
    rows.set(key, row);
  }
  return [...rows.values()];
}

function speedOf(row: Row, rows: Row[]): string[] {
  const rate = spreadOf(row.rounds.map(({ rate = 0 }) => rate));
  const product = rows.find(({ figure, part }) => figure === row.figure && part === PRODUCT);
  const own = product && spreadOf(product.rounds.map(({ rate = 0 }) => rate));
  const cpu = medianCpu(row);
  return [
    row.figure,
    row.part,
    `${number(rate.median)} ${row.unit}s`,
    `${number(rate.min)}–${number(rate.max)}`,
    row.part === PRODUCT || !own ? "" : `${(own.median / rate.median).toFixed(2)}`,
    number(cpu),
    row.part === PRODUCT || !product || cpu === 0 ? "" : (medianCpu(product) / cpu).toFixed(2),
  ];
}

function latencyOf({ figure, part, rounds }: Row): string[] {
  const of = (name: "p50" | "p95" | "p99") =>
    spreadOf(rounds.map(({ latencyMs }) => latencyMs?.[name] ?? 0));
  const p50 = of("p50");
  return [
    figure,
    part,
    number(p50.median),
    `${number(p50.min)}–${number(p50.max)}`,
    number(of("p95").median),
    number(of("p99").median),
  ];
}

function cpuOf(row: Row): string[] {
  const median = (name: string) =>
    spreadOf(row.rounds.map(({ cpuMs }) => cpuMs?.[name] ?? 0)).median;
  return [
    row.figure,
    ...PROCESSES.map((name) => number(median(name))),
    number(medianCpu(row)),
    number(median("sink")),
  ];
}

function medianCpu({ rounds }: Row): number {
  return spreadOf(rounds.map(({ cpuMs = {} }) => {
    const { sink: _sink, ...own } = cpuMs;
    return totalCpu(own);
  })).median;
}

/** About three digits. */
function number(value: number): string {
  if (value === 0) return "0";
  if (value < 10) return value.toFixed(2);
  return value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en");
}

function table(head: string[], body: string[][]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...body].map((row) => (row[column] ?? "").length), 3)
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
