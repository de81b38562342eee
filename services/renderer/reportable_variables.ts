import type { FoundVariable } from "@posthaste/contracts";

const MAX_VARIABLES = 500;
const MAX_PATHS = 50;
const MAX_FIELDS = 500;
const MAX_CHARACTERS = 60_000;

/** Returns the variables for an answer: no more than fit into it, because a source can contain any number. */
export function reportableVariables(variables: readonly FoundVariable[]): FoundVariable[] {
  let remaining = MAX_CHARACTERS;
  let places = MAX_FIELDS;
  const reportable: FoundVariable[] = [];
  for (const variable of variables.slice(0, MAX_VARIABLES)) {
    const paths: string[] = [];
    for (const path of variable.paths.slice(0, MAX_PATHS)) {
      remaining -= path.length;
      if (remaining < 0) break;
      paths.push(path);
    }
    remaining -= variable.name.length;
    if (remaining < 0) break;
    const fields = variable.fields?.slice(0, places).filter(({ path }) => {
      remaining -= path.length;
      return remaining >= 0;
    });
    places -= fields?.length ?? 0;
    reportable.push({ ...variable, paths, ...(fields && { fields }) });
  }
  return reportable;
}
