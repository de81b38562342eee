import type { ClientLine, SinkLine } from "@posthaste/chaos";
import type { FaultStep } from "./members_fault.ts";

/** The load between one step and the next. */
export interface Period {
  what: string;
  /** Since the first step, in milliseconds. */
  atMs: number;
  lastsMs: number;
  /** Requests that got 200, and that got another answer or none. */
  accepted: number;
  refused: number;
  /** The longest time that a request took, in milliseconds. */
  slowestMs: number;
  /** Mails that the sink took. */
  mails: number;
  /** The longest time in which no mail came, in milliseconds; it may have begun before. */
  pauseMs: number;
}

/**
 * Returns for each step how the load went until the next one; what is done after the last is left out.
 *
 * @param steps In the order of time.
 */
export function periodsOf(
  steps: readonly FaultStep[],
  { client, sink }: { client: readonly ClientLine[]; sink: readonly SinkLine[] },
): Period[] {
  const mails = sink.flatMap((line) => line.type === "mail" && line.taken ? [line.at] : [])
    .sort((a, b) => a - b);
  return steps.slice(0, -1).map(({ at, what }, position) => {
    const until = steps[position + 1]?.at ?? at;
    const isNow = (time: number) => time >= at && time < until;
    const answers = client.flatMap((line) =>
      line.type !== "ask" && isNow(line.at)
        ? [{ ms: line.ms, isGood: line.type === "answer" && isExpected(line.status) }]
        : []
    );
    return {
      what,
      atMs: at - (steps[0]?.at ?? at),
      lastsMs: until - at,
      accepted: answers.filter(({ isGood }) => isGood).length,
      refused: answers.filter(({ isGood }) => !isGood).length,
      slowestMs: Math.max(0, ...answers.map(({ ms }) => ms)),
      mails: mails.filter(isNow).length,
      pauseMs: longestPause(mails, { from: at, until }),
    };
  });
}

/** Some requests are made to be refused, for what they ask. */
function isExpected(status: number): boolean {
  return status < 500 && status !== 429;
}

function longestPause(
  times: readonly number[],
  { from, until }: { from: number; until: number },
): number {
  const before = times.findLast((time) => time < from) ?? from;
  const within = times.filter((time) => time >= from && time < until);
  const stops = [before, ...within, until];
  return Math.max(...stops.slice(1).map((time, index) => time - (stops[index] ?? time)));
}
