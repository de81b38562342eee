import type { Fault } from "./faults/fault.ts";
import type { Options } from "./options.ts";

/** One fault in one round. */
export interface PlannedRun {
  round: number;
  fault: Fault;
  /** Part of the addresses. */
  name: string;
  seed: string;
  messages: number;
  seconds: number;
  /** Longest wait for quiet afterwards. */
  quietSeconds: number;
}

/** Shares the mails and the time among the faults, by their weights, and among the rounds. */
export function planRuns(
  options: Pick<
    Options,
    "seed" | "faults" | "rounds" | "messages" | "minutes" | "resume" | "quietSeconds"
  >,
): PlannedRun[] {
  const { seed, faults, rounds, messages, minutes, resume, quietSeconds } = options;
  const all = rounds * faults.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const runs = Array.from({ length: rounds }, (_, i) => i + 1).flatMap((round) =>
    faults.map((fault): PlannedRun => {
      const share = (fault.weight ?? 1) / all;
      const name = `r${round}-${fault.name}`;
      return {
        round,
        fault,
        name,
        seed: `${seed}/${name}`,
        messages: Math.ceil(messages * share),
        seconds: minutes * 60 * share,
        quietSeconds,
      };
    })
  );
  if (resume === undefined) return runs;
  const at = runs.findIndex(({ round, fault }) =>
    round === resume.round && fault.name === resume.fault
  );
  if (at >= 0) return runs.slice(at);
  throw new RangeError(`Cannot resume at ${resume.round}:${resume.fault}: it is not planned`);
}
