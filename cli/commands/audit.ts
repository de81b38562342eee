import type { AuditSummary } from "@posthaste/storage";
import { Command } from "commander";
import {
  type CommandContext,
  findAccountFor,
  listAccountsFor,
  openStoreFor,
} from "../command_context.ts";
import { CommandError, usageError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { formatCount } from "../format.ts";

interface CheckOptions {
  account?: string;
  kept?: string;
}

interface Checked {
  account: string;
  accountId: string;
  fault: { seq: number; what: string } | null;
  /** Whether the recorded line is missing. */
  isCut: boolean;
}

/** `posthaste audit …` */
export function auditCommand(context: CommandContext): Command {
  const command = new Command("audit")
    .description("Check and export the audit log of accounts.");
  command.command("check")
    .description("Check that every line is unchanged and follows the line before.")
    .option("--account <name|id>", "of this account only (default: of all)")
    .option(
      "--kept <line:digest>",
      "last line of an earlier check; shows whether lines were cut off",
    )
    .addHelpText(
      "after",
      `
Each line contains the SHA-256 of the line before. Keep the reported last line elsewhere: it shows
later whether lines were cut off at the end. The exit code is 1 if a line was changed.

Example:
  posthaste audit check --account shop
`,
    )
    .action((options: CheckOptions) => check(context, options));
  command.command("export")
    .description("Print every line of an account, newest first, as JSON on one line each.")
    .option("--account <name|id>", "account")
    .addHelpText("after", "\nExample:\n  posthaste audit export --account shop > audit.jsonl\n")
    .action((options: CheckOptions) => exportLines(context, options));
  command.command("erase <person>")
    .description(
      "Erase the text of a person's lines (usr_…) in all accounts; the chain stays valid.",
    )
    .addHelpText("after", "\nExample:\n  posthaste audit erase usr_01j9z3k4m5n6p7q8r9s0t1v2w3\n")
    .action((userId: string) => erase(context, userId));
  return command;
}

async function check(context: CommandContext, { account, kept }: CheckOptions): Promise<void> {
  const { output } = context;
  const [, seq, digest] = /^(\d{1,12}):([0-9a-f]{64})$/.exec(kept ?? "") ?? [];
  if (kept !== undefined && (seq === undefined || account === undefined)) {
    throw usageError("Cannot compare with --kept: use <line:digest> together with --account");
  }
  await using store = await openStoreFor(context);
  const results: (AuditSummary & Checked)[] = [];
  for (const { _id, name } of await listAccountsFor(context, store, account)) {
    const { head, fault } = await store.audit.check(_id);
    const known = seq === undefined ? digest : await store.audit.findDigest(_id, Number(seq));
    const isCut = known !== digest;
    results.push({ account: name, accountId: _id, ...head, fault: fault ?? null, isCut });
  }
  if (results.some(({ fault, isCut }) => fault !== null || isCut)) context.endWith(EXIT.failed);
  output.result(
    results,
    () =>
      output.table(
        ["ACCOUNT", "LINES", "STATE", "KEEP"],
        results.map(({ account, seq, digest, fault, isCut }) => [
          account,
          String(seq),
          fault !== null
            ? `line ${fault.seq}: ${fault.what}`
            : isCut
            ? "the kept line is not there"
            : "whole",
          seq === 0 ? "" : `${seq}:${digest}`,
        ]),
      ),
  );
}

async function exportLines(context: CommandContext, { account }: CheckOptions): Promise<void> {
  await using store = await openStoreFor(context);
  const { _id } = await findAccountFor(context, store, account);
  const lines = await Array.fromAsync(store.audit.all(_id));
  context.output.result(lines, () => lines.map((line) => JSON.stringify(line)).join("\n"));
}

async function erase(context: CommandContext, userId: string): Promise<void> {
  if (!/^usr_\w+$/.test(userId)) {
    throw new CommandError("Cannot erase: use the id of a person, usr_…", {
      exitCode: EXIT.usage,
    });
  }
  await using store = await openStoreFor(context);
  const erased = await store.audit.eraseOf(userId);
  context.output.result({ userId, erased }, () => `${formatCount(erased, "line")} erased`);
}
