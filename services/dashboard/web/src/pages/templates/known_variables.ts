import type { FoundVariable, VariableDeclaration, Variables } from "@posthaste/contracts";
import { lackingPaths } from "./complete_sample.ts";

/** All that is known of a variable of a template. */
export interface KnownVariable {
  declaration: VariableDeclaration;
  /** Null if the template does not read it. */
  found: FoundVariable | null;
  /** What the template reads of it that the sample does not have. */
  lacking: string[];
}

/** The variables of a template, those that it reads first, in the order in which it reads them. */
export function knownVariables(
  declared: readonly VariableDeclaration[],
  { found, sample }: { found: readonly FoundVariable[]; sample: Variables },
): KnownVariable[] {
  const byName = new Map(declared.map((declaration) => [declaration.name, declaration]));
  const read = found.map((variable) => ({
    declaration: byName.get(variable.name) ?? { name: variable.name, required: false },
    found: variable,
    lacking: lackingPaths(sample, variable.paths),
  }));
  const names = new Set(found.map(({ name }) => name));
  const unread = declared.filter(({ name }) => !names.has(name))
    .map((declaration) => ({ declaration, found: null, lacking: [] }));
  return [...read, ...unread];
}

/** The declarations with one changed or added; what says nothing is left out. */
export function declareVariable(
  declared: readonly VariableDeclaration[],
  changed: VariableDeclaration,
): VariableDeclaration[] {
  const { name, required, default: fallback, description } = changed;
  const kept = {
    name,
    required,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(description === undefined || description === "" ? {} : { description }),
  };
  const saysNothing = !required && Object.keys(kept).length === 2;
  const isKnown = declared.some((each) => each.name === name);
  if (saysNothing) return declared.filter((each) => each.name !== name);
  return isKnown ? declared.map((each) => each.name === name ? kept : each) : [...declared, kept];
}
