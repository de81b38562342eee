import { join } from "node:path";
import type { FileFault } from "@posthaste/bundle";
import type { Sandbox } from "@posthaste/templating";
import { Command } from "commander";
import {
  type CommandContext,
  findAccountFor,
  openStoreFor,
  resolvePath,
} from "../command_context.ts";
import { CommandError, notFoundError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import type { ImportedTemplate } from "../import_templates.ts";
import { isMissingFolder } from "../read_template_folder.ts";
import { formatCount } from "../format.ts";

interface ImportOptions {
  account?: string;
  check?: true;
}

/** `posthaste import` */
export function importCommand(context: CommandContext): Command {
  return new Command("import")
    .argument("<folder>", "folder that contains email/<alias>/ and pdf/<alias>/")
    .description("Publish a folder of templates, each as a new version if it changed.")
    .option("--account <name|id>", "account that owns them")
    .option("--check", "only check the templates; needs no database")
    .addHelpText(
      "after",
      `
  email/<alias>/  template.json, subject.hbs, body.html.hbs or body.mjml,
                  text.txt.hbs (optional), sample.json (optional)
  pdf/<alias>/    template.json, body.html.hbs, sample.json (optional)
  assets/         stored files, with assets.json (both optional)

All templates are checked first. If one is faulty, all faults are reported with line and column,
and nothing is published. A template that breaks a rule, such as a script in a mail, is imported as
a draft, with the reasons. Published versions do not change. The exit code is then 4.

Examples:
  posthaste import ./templates --account shop
  posthaste import ./templates --check
`,
    )
    .action((folder: string, options: ImportOptions) => importFolder(context, folder, options));
}

async function importFolder(
  context: CommandContext,
  folder: string,
  options: ImportOptions,
): Promise<void> {
  const { openSandbox } = await import("@posthaste/templating");
  const { TemplateFolderError } = await import("../import_templates.ts");
  await using sandbox = openSandbox({ workers: 2, reserved: 0 });
  try {
    await (options.check ? checkFolder : publishFolder)({ context, folder, options, sandbox });
  } catch (error) {
    if (error instanceof TemplateFolderError) {
      for (const warning of error.warnings) warn(context, folder, warning);
      throw new CommandError(
        `Cannot import "${folder}": nothing was published, ${
          formatCount(error.faults.length, "fault")
        }`,
        {
          exitCode: EXIT.refused,
          issues: error.faults.map((fault) => ({
            at: placeOf(folder, fault),
            message: fault.message,
          })),
        },
      );
    }
    if (isMissingFolder(error)) {
      throw notFoundError(`Cannot import "${folder}": there is no such folder`);
    }
    throw error;
  }
}

interface ImportJob {
  context: CommandContext;
  folder: string;
  options: ImportOptions;
  sandbox: Sandbox;
}

async function checkFolder({ context, folder, sandbox }: ImportJob): Promise<void> {
  const { checkTemplateFolder, TemplateFolderError } = await import("../import_templates.ts");
  const { withoutRepeats } = await import("../check_templates.ts");
  const { ready, warnings } = await checkTemplateFolder(resolvePath(context.cwd, folder), sandbox);
  const errors = withoutRepeats(ready.flatMap(({ errors }) => errors));
  if (errors.length > 0) throw new TemplateFolderError(folder, { faults: errors, warnings });
  for (const warning of warnings) warn(context, folder, warning);
  noteUnprinted(context, ready);
  const templates = ready.map(({ kind, alias, name, variables }) => ({
    kind,
    alias,
    name,
    variables,
  }));
  context.output.result(
    { templates, warnings },
    () => `${formatCount(templates.length, "template")} valid`,
  );
}

async function publishFolder({ context, folder, options, sandbox }: ImportJob): Promise<void> {
  const { importTemplates } = await import("../import_templates.ts");
  const { output } = context;
  await using store = await openStoreFor(context);
  const account = await findAccountFor(context, store, options.account);
  const { templates, assets, errors, warnings } = await importTemplates({
    store,
    sandbox,
    accountId: account._id,
    folder: resolvePath(context.cwd, folder),
    assetsUrl: context.settings.assetsUrl,
  });
  for (const warning of warnings) warn(context, folder, warning);
  for (const error of errors) output.fault(error.message, placeOf(folder, error));
  if (errors.length > 0) context.endWith(EXIT.refused);
  noteUnprinted(
    context,
    templates.filter(({ outcome }) => outcome === "new" || outcome === "updated"),
  );
  output.result({ accountId: account._id, templates, assets, errors, warnings }, () =>
    output.table(
      ["KIND", "ID", "ALIAS", "NAME", "VERSION", "OUTCOME"],
      [
        ...templates.map(({ kind, id, alias, name, version, outcome }) => [
          kind,
          String(id),
          alias,
          name,
          version === null ? "-" : String(version),
          { text: outcome, style: output.styler(COLOURS[outcome]) },
        ]),
        ...assets.map(({ name, outcome }) => [
          ...["asset", "-", "-", name, "-"],
          { text: outcome, style: output.styler(COLOURS[outcome]) },
        ]),
      ],
    ));
}

const COLOURS = {
  new: "green",
  updated: "cyan",
  unchanged: "dim",
  draft: "yellow",
} as const satisfies Record<
  ImportedTemplate["outcome"],
  string
>;

function warn({ output }: CommandContext, folder: string, warning: FileFault): void {
  output.warn(warning.message, placeOf(folder, warning));
}

/** Says which check of a PDF is missing: it may request what it may not load, or be too long. */
function noteUnprinted(
  { output }: CommandContext,
  templates: readonly Pick<ImportedTemplate, "kind">[],
): void {
  const count = templates.filter(({ kind }) => kind === "pdf").length;
  if (count === 0) return;
  output.note(
    `${
      formatCount(count, "PDF template")
    } imported without a test print. "posthaste push" prints them`,
  );
}

/** Returns the path in the operator's form: terminals and editors open it at its line. */
function placeOf(folder: string, { file, line, column }: FileFault): string {
  const place = [line, column].filter((number) => number !== undefined);
  return [join(folder, file), ...place].join(":");
}
