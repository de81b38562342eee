import type { EmailVersion, PdfVersion, VariableOrigin } from "@posthaste/contracts";
import { originsOf, valuesOf, type VariableLevels } from "@posthaste/templating";

type Filled = Pick<EmailVersion | PdfVersion, "variables" | "reads">;

/** Returns of each variable that a template declares or reads which level of a request gives it. */
export function explainVariables(
  version: Filled,
  levels: VariableLevels,
): Record<string, VariableOrigin> {
  return originsOf(levels, { declared: version.variables, names: namesIn(version) });
}

/** Returns the values of the same variables, but for those that are missing. */
export function explainValues(version: Filled, levels: VariableLevels): Record<string, unknown> {
  const values = valuesOf(levels, version.variables);
  const given = [...namesIn(version)].filter((name) => Object.hasOwn(values, name));
  return Object.fromEntries(given.map((name) => [name, values[name]]));
}

/** `lines` is what `lines[].price` reads. */
function namesIn({ variables, reads = [] }: Filled): Set<string> {
  const read = reads.map(({ path }) => path.split(/\.|\[/, 1)[0] ?? path);
  return new Set([...variables.map(({ name }) => name), ...read]);
}
