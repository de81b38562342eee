import type { Store } from "@posthaste/storage";
import { Command, Option } from "commander";
import { brokerOpeningRemedy } from "../broker_remedy.ts";
import { type CommandContext, openStoreFor, reasonOf } from "../command_context.ts";
import { CommandError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { noteReads } from "../note_reads.ts";

interface MigrateOptions {
  replicas: "1" | "3" | "5";
}

/** `posthaste migrate` */
export function migrateCommand(context: CommandContext): Command {
  return new Command("migrate")
    .description("Create missing indexes of the database and streams of the broker.")
    .addOption(
      new Option("--replicas <count>", "copies of each stream; 3 in a cluster")
        .choices(["1", "3", "5"]).default("1"),
    )
    .addHelpText(
      "after",
      `
It can be repeated. Run it before you start a new version.

Examples:
  posthaste migrate
  posthaste migrate --replicas 3
`,
    )
    .action((options: MigrateOptions) => migrate(context, options));
}

async function migrate(context: CommandContext, options: MigrateOptions): Promise<void> {
  const { output, settings } = context;
  const replicas = Number(options.replicas);
  const url = settings.natsUrl;
  await using store = await openStoreFor(context, { migrating: true });
  await store.ensureIndexes();
  await readVersions(store);
  await applyTopology(context, { url, replicas });
  output.result(
    { indexes: "ok", streams: "ok", replicas },
    () =>
      output.table(["PART", "IS READY"], [
        ["database", "indexes exist"],
        ["broker", `streams, consumers and object stores exist, ${replicas} replicas each`],
      ]),
  );
}

/** Templates are parsed in the sandbox, which is opened only if there is one to parse. */
async function readVersions(store: Store): Promise<void> {
  const [first] = await store.templates.versionsWithoutReads({ after: "", limit: 1 });
  if (first === undefined) return;
  const { openSandbox } = await import("@posthaste/templating");
  await using sandbox = openSandbox({ workers: 1, reserved: 0 });
  await noteReads({ store, sandbox });
}

async function applyTopology(
  { settings }: CommandContext,
  { url, replicas }: { url: string; replicas: number },
): Promise<void> {
  const { openBus } = await import("@posthaste/messaging");
  try {
    await using bus = await openBus({ url, name: "posthaste-cli" });
    await bus.applyTopology({ replicas });
  } catch (cause) {
    throw new CommandError(`Cannot set up the broker: ${reasonOf(cause)}`, {
      exitCode: EXIT.failed,
      remedy: brokerOpeningRemedy(cause, settings),
      cause,
    });
  }
}
