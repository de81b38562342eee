import { TEMPLATE_KINDS, type TemplateKind } from "@posthaste/contracts";
import { type Command, Option } from "commander";
import type { HttpOptions } from "./command_context.ts";

/** Options of the commands that have templates as files. */
export interface BundleOptions extends HttpOptions {
  kind?: TemplateKind;
  alias?: string;
}

/** Adds the options of the commands that have templates as files. */
export function addBundleOptions(command: Command): Command {
  return command
    .addOption(new Option("--kind <kind>", "only templates of this kind").choices(TEMPLATE_KINDS))
    .option("--alias <alias>", "only the template with this alias")
    .option("--url <url>", "where /manage/v1 is (default: POSTHASTE_URL)")
    .option("--token-file <file>", "file with the access token (default: POSTHASTE_TOKEN)");
}
