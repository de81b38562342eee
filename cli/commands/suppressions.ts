import { FILTER_TIME, SUPPRESSION_CSV_HEAD, suppressionCsvLine } from "@posthaste/contracts";
import { Command } from "commander";
import { type CommandContext, type HttpOptions, openApiFor } from "../command_context.ts";
import { notFoundError, usageError } from "../command_error.ts";
import { addHttpOptions } from "../http_options.ts";
import { readSuppressions } from "../read_suppressions.ts";
import { formatCount, formatTime } from "../format.ts";
import {
  type AddedSuppression,
  openSuppressionClient,
  type SuppressionEntry,
} from "../suppression_client.ts";

interface ListOptions extends HttpOptions {
  email?: string;
}

interface AddOptions extends HttpOptions {
  until?: string;
}

interface ImportOptions extends HttpOptions {
  skipInvalid?: boolean;
  dryRun?: true;
}

/** Entries that `list` shows: `export` writes all. */
const SHOWN = 100;

/** `posthaste suppressions …` */
export function suppressionsCommand(context: CommandContext): Command {
  const command = new Command("suppressions")
    .description("List and change the addresses that the token's account sends no mail to.")
    .addHelpText(
      "after",
      `
Uses POSTHASTE_URL and POSTHASTE_TOKEN, and no database. The token needs the scope "list" for list
and export, and "manage:suppressions" for the others.

Examples:
  posthaste suppressions add ann@example.net --until 2027-01-31T00:00:00Z
  posthaste suppressions import addresses.csv
  posthaste suppressions export > suppressed.csv
`,
    );
  addHttpOptions(
    command.command("list")
      .description(`List the first ${SHOWN} entries by address.`)
      .option("--email <address>", 'only this address; with "*" at its end, how it begins'),
  ).action((options: ListOptions) => list(context, options));
  addHttpOptions(
    command.command("add <address...>")
      .description("Add addresses. An entry of the same address is replaced.")
      .option("--until <time>", "when the entries end, such as 2027-01-31T00:00:00Z"),
  ).action((emails: string[], options: AddOptions) => add(context, emails, options));
  addHttpOptions(
    command.command("remove <address...>")
      .description("Remove addresses: they get mail again."),
  ).action((emails: string[], options: HttpOptions) => remove(context, emails, options));
  addHttpOptions(
    command.command("import <file>")
      .description('Add the addresses of a CSV file; "-" is the standard input.')
      .option("--skip-invalid", "leave out lines that are not valid instead of adding none")
      .option("--dry-run", "only check the file"),
  )
    .addHelpText(
      "after",
      `
The first line names the columns: "email" and, for when an entry ends, "expiresAt". A file with one
address a line needs no such line. Entries of the same addresses are replaced.
`,
    )
    .action((file: string, options: ImportOptions) => importFile(context, file, options));
  addHttpOptions(
    command.command("export")
      .description("Print all entries as CSV, which import reads.")
      .option("--email <address>", 'only this address; with "*" at its end, how it begins'),
  ).action((options: ListOptions) => exportAll(context, options));
  return command;
}

async function list(context: CommandContext, options: ListOptions): Promise<void> {
  const { output } = context;
  const entries: SuppressionEntry[] = [];
  for await (const entry of clientFor(context, options).list(options.email)) {
    entries.push(entry);
    if (entries.length > SHOWN) break;
  }
  const shown = entries.slice(0, SHOWN);
  output.result(shown, () =>
    shown.length === 0 ? "No address is suppressed" : output.table(
      ["ADDRESS", "REASON", "ADDED", "ENDS"],
      shown.map(({ email, reason, reply, addedAt, expiresAt }) => [
        ...[email, [reason, reply?.code, reply?.enhanced].filter(Boolean).join(" ")],
        formatTime(new Date(addedAt)),
        expiresAt === null ? "never" : formatTime(new Date(expiresAt)),
      ]),
    ));
  if (entries.length > SHOWN) {
    output.note('There are more: narrow it with --email, or use "posthaste suppressions export"');
  }
}

async function add(
  context: CommandContext,
  emails: string[],
  { until, ...options }: AddOptions,
): Promise<void> {
  const time = until === undefined ? undefined : FILTER_TIME.safeParse(until);
  if (time?.success === false) {
    throw usageError(`Cannot use --until "${until}": it ${time.error.issues[0]?.message}`);
  }
  await addAll(
    context,
    options,
    emails.map((email) => ({ email, reason: "manual", expiresAt: time?.data })),
  );
}

async function importFile(
  context: CommandContext,
  file: string,
  { skipInvalid = false, dryRun, ...options }: ImportOptions,
): Promise<void> {
  const addresses = await readSuppressions(context, file, { skipInvalid });
  if (dryRun) {
    const checked = { addresses: addresses.length };
    context.output.result(checked, () => `${formatAddresses(addresses.length)} in "${file}"`);
    return;
  }
  await addAll(
    context,
    options,
    addresses.map(({ email, expiresAt }) => ({ email, reason: "import", expiresAt })),
  );
}

async function addAll(
  context: CommandContext,
  options: HttpOptions,
  all: readonly AddedSuppression[],
): Promise<void> {
  const { output } = context;
  let [added, done] = [0, 0];
  try {
    for await (const part of clientFor(context, options).add(all)) {
      added += part.added;
      done += part.done;
    }
  } catch (error) {
    if (done > 0) output.note(`Added ${done} of ${all.length} addresses before the failure`);
    throw error;
  }
  const replaced = done - added;
  output.result({ added, replaced }, () => {
    const more = replaced === 0 ? "" : `; replaced ${formatCount(replaced, "entry", "entries")}`;
    return `Added ${formatAddresses(added)}${more}`;
  });
}

async function remove(
  context: CommandContext,
  emails: string[],
  options: HttpOptions,
): Promise<void> {
  const removed = await clientFor(context, options).remove(emails);
  if (removed === 0) throw notFoundError("Cannot remove: none of the addresses is on the list");
  context.output.result({ removed }, () => `Removed ${formatAddresses(removed)}`);
}

async function exportAll(context: CommandContext, options: ListOptions): Promise<void> {
  const { output } = context;
  const entries = clientFor(context, options).list(options.email);
  if (output.json) {
    output.data(await Array.fromAsync(entries));
    return;
  }
  output.raw(SUPPRESSION_CSV_HEAD);
  for await (const { addedAt, expiresAt, reply, messageId, ...entry } of entries) {
    output.part(suppressionCsvLine({
      ...{ ...entry, at: new Date(addedAt) },
      ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt) }),
      ...(reply === null ? {} : { reply }),
      ...(messageId === null ? {} : { messageId }),
    }));
  }
}

function formatAddresses(count: number): string {
  return formatCount(count, "address", "addresses");
}

function clientFor(context: CommandContext, options: HttpOptions) {
  return openSuppressionClient(openApiFor(context, options));
}
