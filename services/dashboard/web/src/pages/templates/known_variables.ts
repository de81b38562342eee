import type { FoundVariable, VariableDeclaration, Variables } from "@posthaste/contracts";
import { lackingPaths } from "./complete_sample.ts";

/** The known facts about a variable of a template. */
export interface KnownVariable {
  declaration: VariableDeclaration;
  /** Null if the template does not read it. */
  found: FoundVariable | null;
  /** The paths that the template reads and the sample lacks. */
  lacking: string[];
}

/** Returns the variables of a template, first those that it reads, in the order of reading. */
export function knownVariables(
  declared: readonly VariableDeclaration[],
  { found, sample, isNew = false }: {
    found: readonly FoundVariable[];
    sample: Variables;
    /** Whether the template is unpublished: then what every message prints becomes required. */
    isNew?: boolean;
  },
): KnownVariable[] {
  const byName = new Map(declared.map((declaration) => [declaration.name, declaration]));
  const read = found.map((variable) => ({
    declaration: byName.get(variable.name) ??
      { name: variable.name, required: isNew && variable.always === true },
    found: variable,
    lacking: lackingPaths(sample, variable.paths),
  }));
  const names = new Set(found.map(({ name }) => name));
  const unread = declared.filter(({ name }) => !names.has(name))
    .map((declaration) => ({ declaration, found: null, lacking: [] }));
  return [...read, ...unread];
}

/** Returns the names that publishing will declare as required: every message prints them. */
export function requiredAtFirst(
  declared: readonly VariableDeclaration[],
  found: readonly FoundVariable[],
): string[] {
  const names = new Set(declared.map(({ name }) => name));
  return found.filter(({ name, always }) => always === true && !names.has(name))
    .map(({ name }) => name);
}

/**
 * Returns the declarations with one changed or added. An empty declaration is left out, unless the
 * template always reads the variable: then its author has made it optional.
 */
export function declareVariable(
  declared: readonly VariableDeclaration[],
  changed: VariableDeclaration,
  isAlways = false,
): VariableDeclaration[] {
  const { name, required, default: fallback, description } = changed;
  const kept = {
    name,
    required,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(description === undefined || description === "" ? {} : { description }),
  };
  const saysNothing = !isAlways && !required && Object.keys(kept).length === 2;
  const isKnown = declared.some((each) => each.name === name);
  if (saysNothing) return declared.filter((each) => each.name !== name);
  return isKnown ? declared.map((each) => each.name === name ? kept : each) : [...declared, kept];
}
