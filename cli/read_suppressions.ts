import { type CsvAddress, readSuppressionCsv } from "@posthaste/contracts";
import { type CommandContext, reasonOf } from "./command_context.ts";
import { CommandError } from "./command_error.ts";
import { EXIT } from "./exit_code.ts";
import { readText } from "./read_data.ts";
import { formatCount } from "./format.ts";

/** The most lines that are reported as invalid. */
const MAX_SHOWN = 100;

/**
 * Reads the addresses of a CSV file, or of the standard input for `-`.
 *
 * @throws {CommandError} If lines are invalid and `skipInvalid` is not set: with the place of each.
 */
export async function readSuppressions(
  context: CommandContext,
  file: string,
  { skipInvalid }: { skipInvalid: boolean },
): Promise<CsvAddress[]> {
  const text = await readText(context, file);
  const refuse = (reason: string, issues: { at: string; message: string }[] = []) => {
    const remedy = issues.length === 0 ? undefined : "correct the lines, or use --skip-invalid";
    const options = { exitCode: EXIT.refused, issues, remedy };
    return new CommandError(`Cannot use "${file}": ${reason}`, options);
  };
  const { addresses, invalid } = parse(text, (reason) => refuse(reason));
  const shown = file === "-" ? "<stdin>" : file;
  const issues = invalid.slice(0, MAX_SHOWN)
    .map(({ line, message }) => ({ at: `${shown}:${line}`, message }));
  if (invalid.length > 0 && !skipInvalid) {
    throw refuse(`${formatCount(invalid.length, "line")} not valid`, issues);
  }
  for (const { at, message } of issues) context.output.warn(message, at);
  if (addresses.length === 0) throw refuse("it has no address");
  return addresses;
}

function parse(text: string, refuse: (reason: string) => CommandError) {
  try {
    return readSuppressionCsv(text, new Date());
  } catch (error) {
    if (error instanceof RangeError) throw refuse(`it has ${reasonOf(error)}`);
    throw error;
  }
}
