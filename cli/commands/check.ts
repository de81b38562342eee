import { Command } from "commander";
import { type CommandContext, openBusFor, openStoreFor } from "../command_context.ts";
import { EXIT } from "../exit_code.ts";
import { type Finding, judge, type Limits, type SystemState } from "../judge_system.ts";
import { readDuration, readInteger } from "../read_option.ts";
import { unreachableIntegrations } from "../unreachable_integrations.ts";

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
      "Check queues, stores, ledger and integrations; the exit code is 1 if something is wrong.",
    )
    .option("--max-fill <percent>", "maximum fill level of a queue, cache or disk", "80")
    .option(
      "--max-wait <duration>",
      "maximum time that an event may wait in a queue, or a server be unreachable",
      "10m",
    )
    .option("--max-late <duration>", "maximum delay of the reconciler", "2m")
    .addHelpText(
      "after",
      `
Full caches (PDFs, contents, status events) drop their oldest entries: this is shown, but is not a
fault. A paused integration is not a fault either.

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
  const [ledger, unreachable, queues, streams, fills, reported] = await Promise.all([
    store.statistics.ledgerState(now),
    unreachableIntegrations(store),
    bus.queueStates(STAGES),
    bus.streamStates(),
    bus.fills(),
    bus.lastRenewal(),
  ]);
  const { SCHEDULER_LEASE } = await import("@posthaste/storage");
  // After the broker: meanwhile a leader may have renewed its lease again.
  const renewals = await store.leases.renewals(SCHEDULER_LEASE);
  const lacksUntil = reported !== undefined && renewals < reported.renewals ? reported.at : null;
  return { now, ledger, unreachable, queues, streams, fills, lacksUntil };
}
