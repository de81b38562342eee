import { parseArgs } from "node:util";
import { type Stage, STAGES } from "./stages/stage.ts";
import type { Replicas } from "./stages/stage_fixture.ts";

/** The options of a run. */
export interface ClusterOptions {
  survive: boolean;
  idle: boolean;
  whole: boolean;
  shards: boolean;
  stages: readonly Stage[];
  replicas: Replicas[];
  modes: ("full" | "waiting")[];
  workers: number;
  /** So much of one core for a worker that waits. */
  cores: number;
  /** Factor on the amount of work. */
  scale: number;
  seed: string;
}

const NAMES = STAGES.map(({ name }) => name).join(", ");

/** The text for `--help`. */
export const USAGE = `Usage: npm run cluster -- [options]
  --only <part>[,...]     survive, idle, whole, shards, or stages: ${NAMES} (all)
  --replicas <n>[,<n>]    copies that brokers and databases keep, for the stages: 1, 3 (1,3)
  --mode <mode>[,<mode>]  full: all of the machine; waiting: each worker waits for something (both)
  --workers <n>           the most workers of a stage (3)
  --cores <share>         of a core, for each worker that waits (0.25)
  --quick                 a third of the work
  --seed <text>           of survive: every choice follows from it (cluster)
  --help                  print this
`;

/**
 * Reads the command line; `undefined` when it asks for help.
 *
 * @throws {RangeError} If a part, a mode or a number is none.
 */
export function readOptions(args: string[]): ClusterOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string" },
      replicas: { type: "string", default: "1,3" },
      mode: { type: "string", default: "full,waiting" },
      workers: { type: "string", default: "3" },
      cores: { type: "string", default: "0.25" },
      quick: { type: "boolean", default: false },
      seed: { type: "string", default: "cluster" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const parts = ["survive", "idle", "whole", "shards", ...STAGES.map(({ name }) => name)];
  const wanted = values.only === undefined ? parts : oneOf(parts, values.only.split(","));
  const workers = Number(values.workers);
  if (!Number.isInteger(workers) || workers < 1) {
    throw new RangeError(`Cannot start "${values.workers}" workers: it takes a number from 1`);
  }
  const cores = Number(values.cores);
  if (!(cores > 0)) {
    throw new RangeError(`Cannot limit workers to "${values.cores}": it takes a share of a core`);
  }
  return {
    survive: wanted.includes("survive"),
    idle: wanted.includes("idle"),
    whole: wanted.includes("whole"),
    shards: wanted.includes("shards"),
    stages: STAGES.filter(({ name }) => wanted.includes(name)),
    replicas: oneOf([1, 3], values.replicas.split(",").map(Number)),
    modes: oneOf(["full", "waiting"], values.mode.split(",")),
    workers,
    cores,
    scale: values.quick ? 1 / 3 : 1,
    seed: values.seed,
  };
}

function oneOf<const T>(known: readonly T[], wanted: readonly unknown[]): T[] {
  const strange = wanted.find((one) => !known.some((each) => each === one));
  if (strange !== undefined) {
    throw new RangeError(`Cannot measure "${strange}": there are ${known.join(", ")}`);
  }
  return known.filter((one) => wanted.includes(one));
}
