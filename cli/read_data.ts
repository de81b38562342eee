import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { type CommandContext, reasonOf, resolvePath } from "./command_context.ts";
import { CommandError, notFoundError } from "./command_error.ts";
import { EXIT } from "./exit_code.ts";

/** Reads a JSON file, or the standard input for `-`, and returns it unchanged: the interface validates it. */
export async function readData(context: CommandContext, file: string): Promise<string> {
  const json = await readText(context, file);
  const { readJson } = await import("@posthaste/bundle");
  const { faults } = readJson(json);
  if (faults.length === 0) return json;
  throw new CommandError(`Cannot use "${file}": it is not valid JSON`, {
    exitCode: EXIT.refused,
    issues: faults.map(({ line, column, message }) => ({
      at: `${file === "-" ? "<stdin>" : file}:${line}:${column}`,
      message,
    })),
  });
}

/** Reads a file, or the standard input for `-`. */
export async function readText({ stdin, cwd }: CommandContext, file: string): Promise<string> {
  if (file === "-") return await text(stdin);
  try {
    return (await readFile(resolvePath(cwd, file), "utf8")).replace(/^\u{feff}/u, "");
  } catch (error) {
    throw notFoundError(`Cannot read "${file}": ${reasonOf(error)}`);
  }
}
