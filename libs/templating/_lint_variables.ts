import type { FoundVariable } from "@posthaste/contracts";
import type { LintInput } from "./lint_input.ts";
import type { Found } from "./lint_finding.ts";
import { nearest } from "./_nearest.ts";

const WHOLE = { part: "html" as const, line: null, column: null };

/** Compares the variables that a template reads with the declared ones and the sample. */
export function lintVariables({ source, variables, missing, errors }: LintInput): Found[] {
  const declared = new Set(source.variables.map(({ name }) => name));
  const known = [...new Set([...declared, ...Object.keys(source.sample)])];
  const read = new Set(variables.map(({ name }) => name));
  // The variables of a part that cannot be parsed are unknown.
  const isKnown = errors === undefined || errors.length === 0;
  const unused = isKnown ? source.variables.filter(({ name }) => !read.has(name)) : [];
  return [
    ...missing.map((name): Found => ({
      ...WHOLE,
      rule: "sample_lacks",
      message: `"${name}" is required, but the sample does not have it`,
    })),
    ...unused.map(({ name }): Found => ({
      ...WHOLE,
      rule: "unused_variable",
      message: `"${name}" is declared, but the template does not use it`,
    })),
    ...variables.filter(({ name }) => !declared.has(name))
      .map((variable) => undeclared(variable, known)),
  ];
}

/** Finds undeclared names. Without declarations and a sample, a wrong name cannot be recognised. */
function undeclared({ name, usedIn, line, column }: FoundVariable, known: string[]): Found {
  const place = { part: usedIn[0] ?? "html", line, column };
  if (known.length === 0 || known.includes(name)) {
    const message = `"${name}" is not declared: if a request omits it, nothing is shown for it`;
    return { ...place, rule: "undeclared_variable", message };
  }
  const guess = nearest(name, known);
  const hint = guess === undefined
    ? ": the sample does not have it, and it is not declared"
    : `: did you mean "${guess}"?`;
  return { ...place, rule: "unknown_variable", message: `"${name}" is not known${hint}` };
}
