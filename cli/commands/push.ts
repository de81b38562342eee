import { Command } from "commander";
import { filterOf, openBundleClient, placeIn, readFiles, refuseFaults } from "../bundle_client.ts";
import { addBundleOptions, type BundleOptions } from "../bundle_options.ts";
import { lackingContents, wantedAssets } from "../pushed_assets.ts";
import { changeTable } from "../change_lines.ts";
import { type CommandContext, resolvePath } from "../command_context.ts";

interface PushOptions extends BundleOptions {
  publish?: true;
  prune?: true;
  overwriteDrafts?: true;
}

/** `posthaste push` */
export function pushCommand(context: CommandContext): Command {
  const command = new Command("push")
    .argument("<folder>", "folder that contains email/<alias>/ and pdf/<alias>/")
    .description("Bring a folder of templates into the token's account, all or nothing.")
    .option("--publish", "publish what changed; without it, only drafts change")
    .option("--prune", "archive templates that the folder lacks")
    .option("--overwrite-drafts", "replace drafts that people have changed and not published");
  return addBundleOptions(command)
    .addHelpText(
      "after",
      `
Needs POSTHASTE_URL and POSTHASTE_TOKEN (scope manage:templates), and no database. All templates
are checked first. If one is faulty, all faults are reported with line and column, and nothing
changes.

Examples:
  posthaste push ./templates --publish --prune
  posthaste push ./templates --kind email --alias welcome
`,
    )
    .action((folder: string, options: PushOptions) => push(context, folder, options));
}

async function push(context: CommandContext, folder: string, options: PushOptions): Promise<void> {
  const { output, cwd } = context;
  const client = openBundleClient(context, options);
  const path = resolvePath(cwd, folder);
  const { files, assets } = await readFiles(context, { ...options, folder, path });
  const { publish = false, prune = false, overwriteDrafts = false } = options;
  const wish = { files, assets: wantedAssets(assets), publish, prune, ...filterOf(options) };
  const { plan, changes, faults, warnings, ...shared } = await client.plan(wish);
  for (const warning of warnings) output.warn(warning.message, placeIn(folder, warning));
  refuseFaults(folder, faults);
  if (changes.length + shared.partials.length + shared.assets.length === 0) {
    output.result({ changes, ...shared, warnings }, () => "Nothing to change");
    return;
  }
  const contents = lackingContents(assets, shared.assets);
  const applied = await client.apply({ ...wish, plan, overwriteDrafts, contents });
  const done = { changes: applied.changes, partials: applied.partials, assets: applied.assets };
  output.result({ ...done, warnings }, () => changeTable(output, done));
}
