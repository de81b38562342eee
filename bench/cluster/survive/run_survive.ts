import { join } from "node:path";
import {
  type ClientLine,
  openFixture,
  problemsOf,
  readJournal,
  runFault,
  type RunResult,
  type SinkLine,
  writeReport,
  writeTable,
} from "@posthaste/chaos";
import { watchLoad } from "../../fairness/foreign_load.ts";
import { type FaultStep, membersFault } from "./members_fault.ts";
import { type Period, periodsOf } from "./periods.ts";

/** How the run went. */
export interface Survival {
  result: RunResult;
  periods: Period[];
  /** Share of the machine that other programs used. */
  foreign: number;
}

/** How much is asked for. */
export interface SurvivePlan {
  messages: number;
  /** The mails are asked for evenly over this time; the steps take about a minute and a half. */
  seconds: number;
  seed: string;
  say(line: string): void;
}

const RUN = "members";

/**
 * Starts three brokers, a replica set of three and two of every service, kills and adds members of each
 * kind under load, and compares the four ledgers when all is quiet.
 */
export async function runSurvive(plan: SurvivePlan): Promise<Survival> {
  const { messages, seconds, seed, say } = plan;
  using load = watchLoad();
  const steps: FaultStep[] = [];
  const fault = membersFault((step) => {
    steps.push(step);
    say(`  ${step.what}`);
  });
  say("starting three brokers, three databases and two of every service");
  await using fixture = await openFixture({ settings: fault.settings, three: true, each: 2 });
  const result = await runFault(fixture, { fault, run: RUN, seed, messages, seconds });
  const folder = join(fixture.dataDir, RUN);
  const periods = periodsOf(steps, {
    client: readJournal<ClientLine>(join(folder, "client.jsonl")),
    sink: readJournal<SinkLine>(join(folder, "sink.jsonl")),
  });
  return { result, periods, foreign: load.foreign() };
}

const HEAD = ["what was done", "at s", "accepted", "refused", "slowest ms", "mails/s", "pause ms"];

/** Writes what happened after each step, and what the ledgers say at the end. */
export function writeSurvival({ result, periods, foreign }: Survival): string {
  const rows = periods.map(({ what, atMs, lastsMs, accepted, refused, slowestMs, ...rest }) => [
    what,
    (atMs / 1000).toFixed(1),
    String(accepted),
    String(refused),
    String(slowestMs),
    (rest.mails / Math.max(lastsMs, 1) * 1000).toFixed(),
    String(rest.pauseMs),
  ]);
  return [
    ...writeTable(HEAD, rows),
    "",
    writeReport([result]),
    ...problemsOf(result),
    `others used ${(foreign * 100).toFixed()} % of the machine`,
  ].join("\n");
}
