import type { Template } from "@posthaste/contracts";
import { Command } from "commander";
import { type CommandContext, findAccountFor, openStoreFor } from "../command_context.ts";
import { formatTime } from "../format.ts";

/** `posthaste templates …` */
export function templatesCommand(context: CommandContext): Command {
  const command = new Command("templates")
    .description('List templates. "posthaste import" publishes them.')
    .addHelpText("after", "\nExample:\n  posthaste templates list --account shop\n");
  command.command("list")
    .description("List the email and PDF templates of an account.")
    .option("--account <name|id>", "the account")
    .addHelpText("after", "\nExample:\n  posthaste templates list --account shop\n")
    .action((options: { account?: string }) => listTemplates(context, options.account));
  return command;
}

async function listTemplates(context: CommandContext, wanted: string | undefined): Promise<void> {
  const { output } = context;
  await using store = await openStoreFor(context);
  const account = await findAccountFor(context, store, wanted);
  const [emails, pdfs] = await Promise.all([
    store.templates.list(account._id, "email"),
    store.templates.list(account._id, "pdf"),
  ]);
  const templates = [...emails, ...pdfs];
  output.result(
    templates.map(show),
    () =>
      templates.length === 0
        ? 'There is no template yet. Run "posthaste import <folder>"'
        : output.table(
          ["KIND", "ID", "ALIAS", "NAME", "VERSION", "PUBLISHED"],
          templates.map(({ kind, id, alias, name, publishedVersion, updatedAt }) => [
            kind,
            String(id),
            alias ?? "",
            name,
            publishedVersion === null ? "draft" : String(publishedVersion),
            formatTime(updatedAt),
          ]),
        ),
  );
}

function show({ kind, id, alias, name, publishedVersion, createdAt, updatedAt }: Template) {
  return { kind, id, alias, name, publishedVersion, createdAt, updatedAt };
}
