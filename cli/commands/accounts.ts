import type { Account } from "@posthaste/contracts";
import { Command } from "commander";
import { type CommandContext, openStoreFor } from "../command_context.ts";
import { formatTime } from "../format.ts";

/** `posthaste accounts …` */
export function accountsCommand(context: CommandContext): Command {
  const command = new Command("accounts")
    .description(
      "Create and list accounts. An account owns templates, integrations, tokens and messages.",
    )
    .addHelpText(
      "after",
      `
Examples:
  posthaste accounts create shop
  posthaste accounts list --json
`,
    );
  command.command("create <name>")
    .description("Create an account.")
    .addHelpText("after", "\nExample:\n  posthaste accounts create shop\n")
    .action((name: string) => createAccount(context, name));
  command.command("list")
    .description("List all accounts.")
    .addHelpText("after", "\nExample:\n  posthaste accounts list\n")
    .action(() => listAccounts(context));
  return command;
}

async function createAccount(context: CommandContext, name: string): Promise<void> {
  const { output } = context;
  await using store = await openStoreFor(context);
  const account = await store.accounts.create({ name: name.trim() });
  output.result(show(account), () => `Created account "${account.name}": ${account._id}`);
}

async function listAccounts(context: CommandContext): Promise<void> {
  const { output } = context;
  await using store = await openStoreFor(context);
  const accounts = await store.accounts.list();
  output.result(
    accounts.map(show),
    () =>
      accounts.length === 0
        ? 'There is no account yet. Run "posthaste accounts create <name>"'
        : output.table(
          ["NAME", "ID", "CREATED"],
          accounts.map(({ name, _id, createdAt }) => [name, _id, formatTime(createdAt)]),
        ),
  );
}

function show({ _id: id, name, createdAt }: Account) {
  return { id, name, createdAt };
}
