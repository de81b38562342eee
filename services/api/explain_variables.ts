import {
  type EmailVersion,
  inLocale,
  type PdfVersion,
  type VariableOrigin,
  variantFor,
} from "@posthaste/contracts";
import { originsOf, valuesOf, type VariableLevels } from "@posthaste/templating";

type Filled = Pick<EmailVersion | PdfVersion, "variables" | "reads">;

/** Returns, for each variable that a template declares or reads, which level of a request sets it. */
export function explainVariables(
  version: Filled,
  levels: VariableLevels,
): Record<string, VariableOrigin> {
  return originsOf(levels, { declared: version.variables, names: namesIn(version) });
}

/** Returns which body of a template is used in a language, and where its variables come from. */
export function explainBody(
  version: EmailVersion | PdfVersion,
  levels: VariableLevels,
  locale: string | undefined,
) {
  const variant = variantFor(version, locale);
  return { variant, variables: explainVariables(inLocale(version, locale), levels) };
}

/** Returns the values of the same variables, without the missing ones. */
export function explainValues(version: Filled, levels: VariableLevels): Record<string, unknown> {
  const values = valuesOf(levels, version.variables);
  const given = [...namesIn(version)].filter((name) => Object.hasOwn(values, name));
  return Object.fromEntries(given.map((name) => [name, values[name]]));
}

/** Returns the top-level names: `lines[].price` reads `lines`. */
function namesIn({ variables, reads = [] }: Filled): Set<string> {
  const read = reads.map(({ path }) => path.split(/\.|\[/, 1)[0] ?? path);
  return new Set([...variables.map(({ name }) => name), ...read]);
}
