import {
  CAUSED_STATES,
  isSendId,
  MESSAGE_CSV_HEAD,
  messageCsvLine,
  type MessageInCsv,
} from "@posthaste/contracts";
import { Command, Option } from "commander";
import { type CommandContext, type HttpOptions, openApiFor } from "../command_context.ts";
import { usageError } from "../command_error.ts";
import { causesOf, type FailureFilter, failuresOf } from "../failure_client.ts";
import { addHttpOptions } from "../http_options.ts";

type ExportOptions = HttpOptions & FailureFilter;

/** `posthaste failures …` */
export function failuresCommand(context: CommandContext): Command {
  const command = new Command("failures")
    .description("Show why messages failed, and export their addresses.")
    .addHelpText(
      "after",
      `
Uses POSTHASTE_URL and POSTHASTE_TOKEN, and no database. The token needs the scope "read" for list,
and "list" for export.

Examples:
  posthaste failures list snd_01k9…
  posthaste failures export --send snd_01k9… --code 550 --enhanced 5.1.1 > addresses.csv
`,
    );
  addHttpOptions(
    command.command("list <send>")
      .description("List the causes for which messages of a send failed, wait or are unknown."),
  ).action((send: string, options: HttpOptions) => list(context, send, options));
  addHttpOptions(
    command.command("export")
      .description("Print the addresses of messages as CSV, each once with its newest message.")
      .addOption(
        new Option("--state <state>", "the state of the messages").choices(CAUSED_STATES)
          .default(CAUSED_STATES[0]),
      )
      .option("--send <id>", "only messages of this send")
      .option("--reason <sentence>", "only this reason")
      .option("--code <code>", "only replies with this code, such as 550")
      .option("--enhanced <code>", "only replies with this enhanced code, such as 5.1.1")
      .option("--from <time>", "only messages accepted then or later"),
  ).action((options: ExportOptions) => exportAddresses(context, options));
  return command;
}

async function list(context: CommandContext, send: string, options: HttpOptions): Promise<void> {
  if (!isSendId(send)) {
    throw usageError(`Cannot list "${send}": it is not the id of a send (snd_…)`);
  }
  const { output } = context;
  const causes = await causesOf(openApiFor(context, options), send);
  output.result(causes, () =>
    causes.length === 0 ? "No message failed" : output.table(
      ["MESSAGES", "STATE", "CODE", "ENHANCED", "REASON"],
      causes.map(({ count, state, code, enhanced, reason }) => [
        ...[String(count), state, String(code ?? ""), enhanced ?? "", reason ?? ""],
      ]),
    ));
}

async function exportAddresses(context: CommandContext, options: ExportOptions): Promise<void> {
  const { output } = context;
  const seen = new Set<string>();
  const found: MessageInCsv[] = [];
  if (!output.json) output.raw(MESSAGE_CSV_HEAD);
  for await (const message of failuresOf(openApiFor(context, options), options)) {
    const key = message.email.toLowerCase();
    if (seen.has(key)) continue;
    seen.add(key);
    if (output.json) found.push(message);
    else output.part(messageCsvLine(message));
  }
  if (output.json) output.data(found);
}
