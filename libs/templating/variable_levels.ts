import type { VariableOrigin } from "@posthaste/contracts";
import { mergeVariables, type Variables } from "./precedence.ts";
import { type DeclaredVariable, isGiven, withDefaults } from "./required_variables.ts";

/** The levels of a request's variables (docs/interface.md, section 4.2). */
export interface VariableLevels {
  top?: Variables | null | undefined;
  recipient?: Variables | null | undefined;
  /** Of the one PDF to fill; a mail has none. */
  attachment?: Variables | null | undefined;
}

/** Merges the levels: an attachment's variables win over its recipient's, and those over the top. */
export function mergeLevels({ top, recipient, attachment }: VariableLevels): Variables {
  return mergeVariables(top, recipient, attachment);
}

/** Returns the values for a template: the merged levels, and its defaults for missing values. */
export function valuesOf(
  levels: VariableLevels,
  declared: readonly DeclaredVariable[],
): Variables {
  return withDefaults(declared, mergeLevels(levels));
}

/**
 * Returns the origins of the values of {@linkcode valuesOf}, by names. The same functions decide, with the
 * names of the levels instead of the values.
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

/**
 * Replaces values by the name of their level. `null` stays: it hides a higher level's value, and a default
 * replaces it.
 */
function nameLevel(level: Variables | null | undefined, name: VariableOrigin): Variables {
  const entries = Object.entries(level ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, isGiven(value) ? name : null]));
}
