import type { Command } from "commander";
import { DEFAULT_URL } from "./settings.ts";

/** Adds the options of a command that speaks HTTP. */
export function addHttpOptions(command: Command): Command {
  return command
    .option("--url <url>", `the interface (default: POSTHASTE_URL, else ${DEFAULT_URL})`)
    .option("--token-file <file>", "file with the access token (default: POSTHASTE_TOKEN)");
}
