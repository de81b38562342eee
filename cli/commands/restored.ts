import { Command } from "commander";
import type { Store } from "@posthaste/storage";
import {
  type CommandContext,
  findAccountFor,
  listAccountsFor,
  openBusFor,
  openStoreFor,
} from "../command_context.ts";
import { usageError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { readInteger, readTime } from "../read_option.ts";
import { formatCount, formatTime } from "../format.ts";
import { holdRestored } from "../hold_restored.ts";
import { readKeys } from "../read_keys.ts";

interface HoldOptions {
  backup?: string;
  lost?: string;
}

interface SelectOptions {
  account?: string;
  integration?: string;
  from?: string;
  until?: string;
}

const RELEASE_BATCH_SIZE = 8;
const CLOSE_BATCH_SIZE = 500;

/** `posthaste restored …` */
export function restoredCommand(context: CommandContext): Command {
  const command = new Command("restored")
    .description(
      "After a database restore: hold messages that may have been sent since the backup.",
    )
    .addHelpText(
      "after",
      `
In a restored ledger, messages sent between the backup and the loss look unsent. With every
service stopped, "hold" marks them as unknown, except where the broker's status events report an outcome. Then
start the services. "release" sends the messages that a person decides to send again.

Examples:
  posthaste restored hold --backup 2026-11-22T03:00Z --lost 2026-11-22T09:12Z
  posthaste restored list
  posthaste restored release --account shop --from 2026-11-22T02:58Z
  posthaste restored close --account shop
`,
    );
  command.command("hold")
    .description("Hold every message that is not finished. Stop all services first.")
    .requiredOption("--backup <time>", "when the backup started, in ISO 8601; if unsure, earlier")
    .option("--lost <time>", "when the last mailer stopped (default: now)")
    .addHelpText(
      "after",
      `
It empties the broker's queues, holds unfinished messages, and records the outcomes since the backup
that status events report, if the broker still has them. The exit code is 1 if a password of an
integration cannot be opened with MASTER_KEY, or if accepted sends are known to be missing from
the backup. It can be repeated.

Example:
  posthaste restored hold --backup 2026-11-22T03:00Z
`,
    )
    .action((options: HoldOptions) => hold(context, options));
  command.command("list")
    .description("Count held messages by account and integration.")
    .addHelpText("after", "\nExample:\n  posthaste restored list\n")
    .action(() => list(context));
  select(command.command("release").description("Send held messages."))
    .addHelpText(
      "after",
      "\nExample:\n  posthaste restored release --account shop --integration 1\n",
    )
    .action((options: SelectOptions) => release(context, options));
  select(command.command("close").description("Mark held messages as failed; none is sent."))
    .addHelpText("after", "\nExample:\n  posthaste restored close --account shop\n")
    .action((options: SelectOptions) => close(context, options));
  return command;
}

function select(command: Command): Command {
  return command
    .requiredOption("--account <name|id>", "of this account")
    .option("--integration <id>", "of this integration")
    .option("--from <time>", "accepted then or later, in ISO 8601")
    .option("--until <time>", "accepted before then");
}

async function hold(context: CommandContext, options: HoldOptions): Promise<void> {
  const { output } = context;
  const backupAt = readTime("--backup", options.backup ?? "");
  const lostAt = options.lost === undefined ? new Date() : readTime("--lost", options.lost);
  if (lostAt < backupAt) throw usageError("Cannot hold: --lost is before --backup");
  await using store = await openStoreFor(context);
  await using bus = await openBusFor(context);
  const { held, emptied, known, missing } = await holdRestored({
    ...{ store, bus, backupAt, lostAt },
    onProgress: (text) => output.note(text),
  });
  const locked = await store.secrets.locked(await readKeys(context));
  output.result({ held, emptied, known, missing, locked }, () =>
    [
      `${formatCount(held, "message")} held; the broker reported outcomes for ${known}`,
      `${formatCount(emptied, "event")} removed from the queues`,
    ].join("\n"));
  for (const { sendId, accountId, at } of missing) {
    output.warn(`accepted ${at}, but not in the backup: ${sendId}`, `account ${accountId}`);
  }
  for (const { recordId, reason } of locked) output.warn(reason, `integration ${recordId}`);
  if (missing.length + locked.length > 0) context.endWith(EXIT.failed);
}

async function list(context: CommandContext): Promise<void> {
  const { output } = context;
  await using store = await openStoreFor(context);
  const accounts = await listAccountsFor(context, store, undefined);
  const names = new Map(accounts.map(({ _id, name }) => [_id, name]));
  const groups = await store.restored.heldGroups();
  output.result(groups, () =>
    groups.length === 0 ? "No messages are held" : output.table(
      ["ACCOUNT", "INTEGRATION", "MESSAGES", "ACCEPTED FROM", "TO"],
      groups.map(({ accountId, integrationId, count, oldest, newest }) => [
        names.get(accountId) ?? accountId,
        String(integrationId),
        String(count),
        formatTime(oldest),
        formatTime(newest),
      ]),
    ));
}

async function release(context: CommandContext, options: SelectOptions): Promise<void> {
  const released = await decide(context, options, {
    batchSize: RELEASE_BATCH_SIZE,
    async apply(store, accountId, ids) {
      const done = await Promise.all(
        ids.map((id) => store.messages.retry(accountId, id, { now: new Date() })),
      );
      return done.filter((message) => message !== null).length;
    },
  });
  context.output.result({ released }, () => `${formatCount(released, "message")} will be sent`);
}

async function close(context: CommandContext, options: SelectOptions): Promise<void> {
  const closed = await decide(context, options, {
    batchSize: CLOSE_BATCH_SIZE,
    apply: (store, accountId, ids) => store.restored.closeHeld(accountId, ids, new Date()),
  });
  context.output.result({ closed }, () => `${formatCount(closed, "message")} will not be sent`);
}

interface Decision {
  batchSize: number;
  /** Returns how many were still held. */
  apply(store: Store, accountId: string, ids: string[]): Promise<number>;
}

/** Decides about the selected held messages. Returns their number. */
async function decide(
  context: CommandContext,
  options: SelectOptions,
  { batchSize, apply }: Decision,
): Promise<number> {
  await using store = await openStoreFor(context);
  const { _id } = await findAccountFor(context, store, options.account);
  let decided = 0;
  for await (const ids of batches(store.restored.heldMessages(_id, queryOf(options)), batchSize)) {
    decided += await apply(store, _id, ids);
  }
  return decided;
}

function queryOf({ integration, from, until }: SelectOptions) {
  return {
    integrationId: integration === undefined
      ? undefined
      : readInteger("--integration", integration, { min: 1, max: 999_999_999 }),
    from: from === undefined ? undefined : readTime("--from", from),
    until: until === undefined ? undefined : readTime("--until", until),
  };
}

async function* batches(ids: AsyncIterable<string>, size: number): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const id of ids) {
    batch.push(id);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
