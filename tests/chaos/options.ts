import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import type { Fault } from "./faults/fault.ts";
import { FAULTS, findFaults, LONG_FAULTS } from "./faults/fault_list.ts";

/** The options of a series of runs. */
export interface Options {
  seed: number;
  faults: Fault[];
  /** Mails of all runs together. */
  messages: number;
  /** Time in which the mails of all runs are requested, in minutes. */
  minutes: number;
  /** Times that all faults are run. */
  rounds: number;
  /** Round and fault to resume with, after an aborted series. */
  resume: { round: number; fault: string } | undefined;
  /** Names of the mutations to try instead. */
  mutation: string[] | undefined;
  /** Longest wait for the next mail that is late already, in seconds. */
  quietSeconds: number;
  verbose: boolean;
}

/** The text for `--help`. */
export const USAGE = `Usage: npm run chaos -- [options]
  --seed <n>             every choice follows from it (drawn)
  --messages <n>         mails of all runs together (6000)
  --minutes <n>          time in which they are asked for; faults are injected as long (5)
  --rounds <n>           times that all faults are run, the mails shared among them (1)
  --only <fault>[,...]   these only; kill-* stands for all that begin so
  --resume <round>:<fault>  go on with a run that was broken off; give its seed
  --quiet <seconds>      longest wait for the next mail that is late already (30)
  --mutation <M>[,...]   break the system on purpose in a copy: the harness must see it (or: all)
  --verbose              show what the services print as warnings
  --list                 list the faults
  --help                 print this
`;

/**
 * Reads the command line. Returns a text if it only has to be printed.
 *
 * @throws {Error} If an option, a fault or a number is none.
 */
export function readOptions(args: string[]): Options | string {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: "string" },
      messages: { type: "string" },
      minutes: { type: "string" },
      rounds: { type: "string" },
      only: { type: "string" },
      resume: { type: "string" },
      mutation: { type: "string" },
      quiet: { type: "string" },
      verbose: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return USAGE;
  if (values.list) {
    const line = ({ name, description }: Fault) => `${name.padEnd(20)}${description}\n`;
    const long = LONG_FAULTS.map(line).join("");
    return `${FAULTS.map(line).join("")}\nWith --only alone:\n${long}`;
  }
  const [round, fault = ""] = values.resume?.split(":") ?? [];
  return {
    seed: numberOf("seed", values.seed ?? String(randomInt(1, 1_000_000))),
    faults: values.only === undefined ? [...FAULTS] : findFaults(values.only.split(",")),
    messages: numberOf("messages", values.messages ?? "6000"),
    minutes: numberOf("minutes", values.minutes ?? "5"),
    rounds: numberOf("rounds", values.rounds ?? "1"),
    resume: round === undefined
      ? undefined
      : { round: numberOf("resume", round), fault: findFaults([fault])[0]?.name ?? "" },
    quietSeconds: numberOf("quiet", values.quiet ?? "30"),
    mutation: values.mutation?.split(","),
    verbose: values.verbose,
  };
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new RangeError(`Cannot take --${name} "${text}": it takes a number above 0`);
}

/** The command that repeats a run. */
export function commandOf({ seed, messages, minutes, rounds, faults }: Options): string {
  const only = faults.length === FAULTS.length
    ? ""
    : ` --only ${faults.map(({ name }) => name).join()}`;
  return `npm run chaos -- --seed ${seed} --messages ${messages} --minutes ${minutes} ` +
    `--rounds ${rounds}${only}`;
}
