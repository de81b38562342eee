import { mergeVariables, type Variables } from "./precedence.ts";

/** A publisher's declaration of one variable. */
export interface DeclaredVariable {
  readonly name: string;
  /** A request without it is refused, unless there is a default. */
  readonly required: boolean;
  /** Used if the variable is missing. */
  readonly default?: unknown;
}

/**
 * Returns the names of the required variables that are missing, in the order declared. A variable is missing
 * if it is not given, or `null`. An empty string, `0` and `false` count as given. A variable with a default
 * is never missing.
 */
export function missingVariables(
  declared: readonly DeclaredVariable[],
  merged: Variables,
): string[] {
  return declared
    .filter((each) => each.required && !isGiven(each.default) && !isGiven(own(merged, each.name)))
    .map((each) => each.name);
}

/** Returns the variables, with the declared default in the place of each missing one. */
export function withDefaults(declared: readonly DeclaredVariable[], merged: Variables): Variables {
  const defaults: Record<string, unknown> = Object.create(null);
  for (const { name, default: value } of declared) {
    if (isGiven(value) && !isGiven(own(merged, name))) defaults[name] = value;
  }
  return mergeVariables(merged, defaults);
}

function own(variables: Variables, name: string): unknown {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/** Returns whether a value is given; `null` is not. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
