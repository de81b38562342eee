import type { FoundVariable } from "@posthaste/contracts";

const MAX_VARIABLES = 500;
const MAX_PATHS = 50;
const MAX_CHARACTERS = 60_000;

/** Returns the variables for an answer: no more than fit into it, because a source can contain any number. */
export function reportableVariables(variables: readonly FoundVariable[]): FoundVariable[] {
  let remaining = MAX_CHARACTERS;
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
    reportable.push({ ...variable, paths });
  }
  return reportable;
}
