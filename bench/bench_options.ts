import { parseArgs } from "node:util";

/** The names of all measurements. */
export const FIGURES = [
  "single",
  "bulk",
  "bulk-wide",
  "bulk-far",
  "events",
  "telemetry",
  "pdf-each",
  "pdf-accounts",
  "pdf-long",
  "pdf-shared",
  "render",
  "latency",
  "idle",
  "queue",
  "fairness",
] as const;

/** Measurements that run only on request, because they take long. */
const ON_REQUEST: readonly string[] = ["telemetry", "idle", "queue", "fairness"];

/** Name of a figure. */
export type FigureName = (typeof FIGURES)[number];

/** How to measure. */
export interface BenchOptions {
  /** Figures to measure, in the order of {@linkcode FIGURES}. */
  figures: FigureName[];
  /** Number of rounds. */
  rounds: number;
  /** Factor on the amount of work of one measurement. */
  scale: number;
  /** Folder for a CPU profile of each service. */
  profileDir: string | undefined;
  /** A part of the names of the scenarios of fairness to measure. */
  scenario: string;
}

/** The text for `--help`. */
export const USAGE = `Usage: npm run bench -- [options]
  --only <name>[,<name>]  measure these only: ${
  FIGURES.join(", ")
} (telemetry, idle, queue and fairness: only so)
  --scenario <text>       of fairness, the scenarios with this text in their name
  --quick                 one round of less work, under a minute
  --rounds <n>            times that all is measured, in turns (3)
  --profile <folder>      write a CPU profile of each service, which slows them
  --help                  print this
`;

/**
 * Reads the command line; `undefined` when it asks for help.
 *
 * @throws {Error} If an option or a figure is not known.
 */
export function readOptions(args: string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string" },
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      profile: { type: "string" },
      scenario: { type: "string", default: "" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new RangeError(`Cannot measure "${values.rounds}" rounds: it takes a number from 1`);
  }
  return {
    figures: figuresOf(values.only),
    rounds,
    scale: values.quick ? 0.25 : 1,
    profileDir: values.profile,
    scenario: values.scenario,
  };
}

function figuresOf(only: string | undefined): FigureName[] {
  const wanted = only?.split(",") ?? FIGURES.filter((name) => !ON_REQUEST.includes(name));
  const unknown = wanted.find((name) => !FIGURES.includes(name as FigureName));
  if (unknown !== undefined) {
    throw new RangeError(`Cannot measure "${unknown}": there are ${FIGURES.join(", ")}`);
  }
  return FIGURES.filter((name) => wanted.includes(name));
}
