import { join } from "node:path";
import { Command, Option } from "commander";
import { type CommandContext, resolvePath } from "../command_context.ts";
import { CommandError, notFoundError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { formatCount } from "../format.ts";

interface ConvertCommandOptions {
  from: "postmark" | "sendgrid" | "mandrill" | "mailchimp";
  to: string;
}

/** `posthaste convert` */
export function convertCommand(context: CommandContext): Command {
  return new Command("convert")
    .argument("<folder>", "folder of exported templates")
    .description("Translate templates of another product into a folder for import.")
    .addOption(
      new Option("--from <product>", "where the templates come from")
        .choices(["postmark", "sendgrid", "mandrill", "mailchimp"]).makeOptionMandatory(),
    )
    .requiredOption("--to <folder>", "new folder to write to")
    .addHelpText(
      "after",
      `
  Postmark    folders with content.html, content.txt and meta.json ("postmark templates pull")
  SendGrid    .json as its API returns a template, or .html with .txt beside it
  Mandrill    .json as its API returns a template, or .html with .txt beside it
  Mailchimp   .html with .txt beside it
  all         .mjml with .txt beside it

What cannot be translated stays unchanged and is listed with file, line and column. The exit
code is then 4.

Example:
  posthaste convert ./postmark --from postmark --to ./templates
  posthaste import ./templates --check
`,
    )
    .action((folder: string, options: ConvertCommandOptions) => convert(context, folder, options));
}

async function convert(
  context: CommandContext,
  folder: string,
  { from, to }: ConvertCommandOptions,
): Promise<void> {
  const { output, cwd } = context;
  const { convertTemplates } = await import("../convert_templates.ts");
  const paths = { folder: resolvePath(cwd, folder), target: resolvePath(cwd, to) };
  const { templates, left } = await convertTemplates({ product: from, ...paths }).catch(
    (error: unknown) => {
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
      if (isMissing) throw notFoundError(`Cannot convert "${folder}": there is no such folder`);
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandError(reason, { exitCode: EXIT.refused, cause: error });
    },
  );
  for (const { file, line, column, text, why } of left) {
    output.warn(`${text} ${why}`, `${join(folder, file)}:${line}:${column}`);
  }
  if (left.length > 0) context.endWith(EXIT.refused);
  output.result({ templates, left }, () =>
    [
      output.table(
        ["ALIAS", "NAME", "LEFT"],
        templates.map(({ alias, name, left }) => [alias, name, String(left)]),
      ),
      `${formatCount(templates.length, "template")} in ${to}`,
    ].join("\n"));
}
