import { Command } from "commander";
import { type CommandContext, openBusFor, openStoreFor } from "../command_context.ts";
import { EXIT } from "../exit_code.ts";
import { type Finding, judge, type Limits, type SystemState } from "../judge_system.ts";
import { readDuration, readInteger } from "../read_option.ts";

interface CheckOptions {
  maxFill: string;
  maxWait: string;
  maxLate: string;
}

/** Streams that mail passes through, in this order. */
const STAGES = ["RENDER", "PRINT", "MAIL", "STATUS"] as const;

/** `posthaste check` */
export function checkCommand(context: CommandContext): Command {
  return new Command("check")
    .description(
      "Look at queues, stores, ledger and integrations; end with 1 if something is wrong.",
    )
    .option("--max-fill <percent>", "fullest that a queue, a cache or a disk may be", "80")
    .option("--max-wait <duration>", "longest that mail may wait in a queue", "10m")
    .option("--max-late <duration>", "longest that the reconciler may be behind", "2m")
    .addHelpText(
      "after",
      `
Caches (PDFs, contents, status events) lose their oldest when they are full: that is shown and is no
fault. An integration that a person has paused is none either.

Examples:
  posthaste check
  posthaste check --max-wait 1h --json
`,
    )
    .action((options: CheckOptions) => check(context, options));
}

async function check(context: CommandContext, options: CheckOptions): Promise<void> {
  const { output } = context;
  const limits: Limits = {
    fill: readInteger("--max-fill", options.maxFill, { min: 1, max: 100 }) / 100,
    waitMs: await readDuration("--max-wait", options.maxWait),
    lateMs: await readDuration("--max-late", options.maxLate),
  };
  const state = await read(context);
  const findings = judge(state, limits);
  const isWell = findings.every(({ verdict }) => verdict === "ok");
  output.result({ ok: isWell, findings, state }, () =>
    output.table(
      ["", "WHAT", "IS"],
      findings.map(({ verdict, what, is }) => [
        { text: verdict, style: output.styler(COLOURS[verdict]) },
        what,
        is,
      ]),
    ));
  if (!isWell) context.endWith(EXIT.failed);
}

const COLOURS = { ok: "green", WRONG: "red" } as const satisfies Record<Finding["verdict"], string>;

async function read(context: CommandContext): Promise<SystemState> {
  await using store = await openStoreFor(context);
  await using bus = await openBusFor(context);
  await bus.check();
  const now = new Date();
  const [ledger, queues, streams, fills, sent] = await Promise.all([
    store.ledgerState(now),
    bus.queueStates(STAGES),
    bus.streamStates(),
    bus.fills(),
    bus.lastSent(),
  ]);
  const unknownSent = sent !== undefined && await store.isOlderThan(sent) ? sent : null;
  return { now, ledger, queues, streams, fills, unknownSent };
}
