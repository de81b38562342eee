import type { Forgotten } from "@posthaste/storage";
import { Command } from "commander";
import { type CommandContext, findAccountFor, openStoreFor } from "../command_context.ts";
import { usageError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { formatCount } from "../format.ts";

interface ForgetOptions {
  account?: string;
}

/** `posthaste forget` */
export function forgetCommand(context: CommandContext): Command {
  return new Command("forget")
    .argument("<address>", "email address of the person, as used in sends")
    .description("Remove the stored data of a recipient: address, name, variables, server replies.")
    .option("--account <name|id>", "of this account only (default: of all)")
    .addHelpText(
      "after",
      `
Unsent messages to the address are canceled. The records of messages, with times and
outcomes, stay under "forgotten@forgotten.invalid". The exit code is 1 if a message is being
sent, or waits for a decision: run the command again later. People who sign in to
the dashboard, templates, logs and backups are not changed.

Example:
  posthaste forget ann@example.com
`,
    )
    .action((address: string, options: ForgetOptions) => forget(context, address, options));
}

async function forget(
  context: CommandContext,
  address: string,
  options: ForgetOptions,
): Promise<void> {
  const { output } = context;
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) {
    throw usageError("Cannot forget the recipient: the argument is not an email address");
  }
  await using store = await openStoreFor(context);
  const accounts = options.account === undefined
    ? await store.accounts.list()
    : [await findAccountFor(context, store, options.account)];
  const all: (Forgotten & { accountId: string })[] = [];
  for (const { _id: accountId } of accounts) {
    all.push({
      accountId,
      ...await store.retention.forgetRecipient(accountId, address, {
        now: new Date(),
        audit: "erase",
      }),
    });
  }
  const sum = (of: (one: Forgotten) => number) => all.reduce((total, one) => total + of(one), 0);
  const left = all.flatMap((one) => one.left);
  output.result(all, () =>
    [
      `${formatCount(sum(({ messages }) => messages), "message")} forgotten, ` +
      `${sum(({ canceled }) => canceled)} of them canceled`,
      `${formatCount(sum(({ copies }) => copies), "message")} copied to the address no more`,
      `${formatCount(sum(({ auditLines }) => auditLines), "line")} of audit logs changed`,
      `${formatCount(sum(({ invitations }) => invitations), "invitation")} revoked`,
      `${formatCount(left.length, "message")} left`,
    ].join("\n"));
  for (const id of left) output.warn("it is being sent or waits for a decision", id);
  if (left.length > 0) context.endWith(EXIT.failed);
}
