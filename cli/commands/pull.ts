import { Command } from "commander";
import { openBundleClient } from "../bundle_client.ts";
import { addBundleOptions, type BundleOptions } from "../bundle_options.ts";
import { type CommandContext, resolvePath } from "../command_context.ts";
import type { PulledTemplate } from "../write_template_folder.ts";

interface PullOptions extends BundleOptions {
  prune?: true;
}

/** `posthaste pull` */
export function pullCommand(context: CommandContext): Command {
  const command = new Command("pull")
    .argument("<folder>", "folder to write email/<alias>/ and pdf/<alias>/ into")
    .description("Write the templates of the token's account as files.")
    .option("--prune", "remove templates from the folder that the account lacks");
  return addBundleOptions(command)
    .addHelpText(
      "after",
      `
Needs POSTHASTE_URL and POSTHASTE_TOKEN (scope manage:templates), and no database. Writes the
published versions, or the drafts that push has changed since. Files with the same content are kept.

Examples:
  posthaste pull ./templates
  posthaste pull ./templates --kind email --alias welcome
`,
    )
    .action((folder: string, options: PullOptions) => pull(context, folder, options));
}

async function pull(context: CommandContext, folder: string, options: PullOptions): Promise<void> {
  const { output, cwd } = context;
  const client = openBundleClient(context, options);
  const { files, assets } = await client.export();
  const { writeTemplateFolder } = await import("../write_template_folder.ts");
  const { writeAssetFolder } = await import("../write_asset_folder.ts");
  const { prune = false, kind, alias } = options;
  const path = resolvePath(cwd, folder);
  const written = await writeTemplateFolder(path, files, {
    prune,
    isMeant: (one) => (kind ?? one.kind) === one.kind && (alias ?? one.alias) === one.alias,
  });
  const { download } = client;
  const templates = [...written, ...await writeAssetFolder(path, assets, { prune, download })];
  output.result(
    { templates },
    () =>
      templates.length === 0 ? "The account has no template to write" : output.table(
        ["TEMPLATE", "OUTCOME"],
        templates.map(({ kind, alias, outcome }) => [
          `${kind}/${alias}`,
          { text: outcome, style: output.styler(COLOURS[outcome]) },
        ]),
      ),
  );
}

const COLOURS = {
  new: "green",
  updated: "cyan",
  unchanged: "dim",
  removed: "red",
} as const satisfies Record<PulledTemplate["outcome"], string>;
