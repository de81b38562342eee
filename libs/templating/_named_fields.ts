import type { Node, PathExpression, StringLiteral } from "./_handlebars.ts";
import type { Call } from "./check_template.ts";
import { resolve, type Scope } from "./_scope.ts";

/** A field whose name a template gives as a text in quotes. */
export interface NamedField {
  /** The path to the field from the top. */
  readonly steps: readonly string[];
  /** The text in quotes. */
  readonly node: Node;
}

/**
 * Returns the fields that the arguments of a helper name: `sum lines "price"`, `lookup customer "name"`. Leaves out
 * a name with a dot or a bracket: as a step of a path, it would look like several steps.
 */
export function namedFields({ path, params }: Call, scope: Scope): NamedField[] {
  const helper = (path as PathExpression).original;
  if (helper !== "sum" && helper !== "lookup") return [];
  const [subject, ...names] = params;
  if (subject?.type !== "PathExpression") return [];
  const holder = subject as PathExpression;
  return names.flatMap((node) => {
    const name = node.type === "StringLiteral" ? (node as StringLiteral).value : "";
    if (name === "" || /[.[\]]/.test(name)) return [];
    // A `{{#let}}` may have given the name: of all paths, only the whole one shows that.
    const inside = helper === "sum" ? ["[]", name] : [name];
    const steps = resolve({ ...holder, parts: [...holder.parts, ...inside] }, scope);
    return steps === undefined ? [] : [{ steps, node }];
  });
}
