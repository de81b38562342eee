import type { VariableOrigin } from "@posthaste/contracts";
import { mergeVariables, type Variables } from "./precedence.ts";
import { type DeclaredVariable, isGiven, withDefaults } from "./required_variables.ts";

/** The levels on which a request gives variables (docs/interface.md, section 4.2). */
export interface VariableLevels {
  top?: Variables | null | undefined;
  recipient?: Variables | null | undefined;
  /** Of the one PDF that is filled; a mail has none. */
  attachment?: Variables | null | undefined;
}

/** Lays the levels over each other: an attachment's variables win over its recipient's, those over the top. */
export function mergeLevels({ top, recipient, attachment }: VariableLevels): Variables {
  return mergeVariables(top, recipient, attachment);
}

/** Returns what a template is filled with: the merged levels, and its defaults for what is missing. */
export function valuesOf(
  levels: VariableLevels,
  declared: readonly DeclaredVariable[],
): Variables {
  return withDefaults(declared, mergeLevels(levels));
}

/**
 * Returns where {@linkcode valuesOf} has the values of some names from. The same functions decide: they
 * are given the names of the levels instead of the values.
 */
export function originsOf(
  levels: VariableLevels,
  { declared, names }: { declared: readonly DeclaredVariable[]; names: Iterable<string> },
): Record<string, VariableOrigin> {
  const { top, recipient, attachment } = levels;
  const named = {
    top: nameLevel(top, "top"),
    recipient: nameLevel(recipient, "recipient"),
    attachment: nameLevel(attachment, "attachment"),
  };
  const defaults = declared.map((variable) =>
    isGiven(variable.default) ? { ...variable, default: "default" } : variable
  );
  const found = valuesOf(named, defaults) as Record<string, VariableOrigin | null>;
  return Object.fromEntries([...names].map((name) => [name, found[name] ?? "missing"]));
}

/** `null` stays: it hides what a higher level gives, and a default takes its place. */
function nameLevel(level: Variables | null | undefined, name: VariableOrigin): Variables {
  const entries = Object.entries(level ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, isGiven(value) ? name : null]));
}
