import type { LintInput } from "./lint_input.ts";
import { passwordName } from "./_lint_password.ts";
import { type Found, WHOLE } from "./lint_finding.ts";
import { nearest } from "./_nearest.ts";
import type { TemplateVariable } from "./template_variables.ts";

/** So many names are looked for among the known ones: more findings are hardly read. */
const MAX_GUESSED = 100;

/** Compares what a template reads with what its author declared and what the sample has. */
export function lintVariables(
  { source, variables, missing, errors, elsewhere = [] }: LintInput,
): Found[] {
  const declared = new Set(source.variables.map(({ name }) => name));
  const known = new Set([...declared, ...Object.keys(source.sample)]);
  const read = new Set([...variables.map(({ name }) => name), ...elsewhere]);
  const password = source.page?.passwordVariable;
  if (password !== undefined) read.add(passwordName(password));
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
      .map((variable, at) => undeclared(variable, { known, isGuessed: at < MAX_GUESSED })),
  ];
}

/** Where nothing is declared and there is no sample, a wrong name cannot be recognized. */
function undeclared(
  { name, usedIn, line, column, partial }: TemplateVariable,
  { known, isGuessed }: { known: ReadonlySet<string>; isGuessed: boolean },
): Found {
  const place = {
    ...{ part: usedIn[0] ?? "html", line, column },
    ...(partial === undefined ? {} : { partial }),
  };
  if (known.size === 0 || known.has(name)) {
    const message = `"${name}" is not declared: if a request omits it, nothing is shown for it`;
    return { ...place, rule: "undeclared_variable", message };
  }
  const guess = isGuessed ? nearest(name, known) : undefined;
  const hint = guess === undefined
    ? ": the sample does not have it, and it is not declared"
    : `: did you mean "${guess}"?`;
  return { ...place, rule: "unknown_variable", message: `"${name}" is not known${hint}` };
}
