import { Command } from "commander";
import { filterOf, openBundleClient, placeIn, readFiles, refuseFaults } from "../bundle_client.ts";
import { addBundleOptions, type BundleOptions } from "../bundle_options.ts";
import { wantedAssets } from "../pushed_assets.ts";
import { changeTable } from "../change_lines.ts";
import { type CommandContext, resolvePath } from "../command_context.ts";
import { EXIT } from "../exit_code.ts";

interface DiffOptions extends BundleOptions {
  publish?: true;
}

/** `posthaste diff` */
export function diffCommand(context: CommandContext): Command {
  const command = new Command("diff")
    .argument("<folder>", "folder that contains email/<alias>/ and pdf/<alias>/")
    .description("Show what push --prune would change; ends with 2 if anything.")
    .option("--publish", "compare with what is published, as push --publish does");
  return addBundleOptions(command)
    .addHelpText(
      "after",
      `
Needs POSTHASTE_URL and POSTHASTE_TOKEN (scope manage:templates). Changes nothing.

Exit codes:
  0 the same   2 differs   4 the folder has faults

Examples:
  posthaste diff ./templates --publish
`,
    )
    .action((folder: string, options: DiffOptions) => diff(context, folder, options));
}

async function diff(context: CommandContext, folder: string, options: DiffOptions): Promise<void> {
  const { output, cwd } = context;
  const client = openBundleClient(context, options);
  const path = resolvePath(cwd, folder);
  const { files, assets: kept } = await readFiles(context, { ...options, folder, path });
  const { publish = false } = options;
  const wish = { files, assets: wantedAssets(kept), publish, prune: true, ...filterOf(options) };
  const { changes, partials, assets, faults, warnings } = await client.plan(wish);
  for (const warning of warnings) output.warn(warning.message, placeIn(folder, warning));
  refuseFaults(folder, faults);
  const count = changes.length + partials.length + assets.length;
  if (count > 0) context.endWith(EXIT.differs);
  output.result(
    { changes, partials, assets, warnings },
    () => count === 0 ? "No difference" : changeTable(output, { changes, partials, assets }),
  );
}
