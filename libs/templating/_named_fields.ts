import type { Node, PathExpression, StringLiteral } from "./_handlebars.ts";
import type { Call } from "./check_template.ts";
import { type Context, resolve, type Scope } from "./_scope.ts";

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
  const holder = subject?.type === "PathExpression"
    ? resolve(subject as PathExpression, scope)
    : undefined;
  if (holder === undefined) return [];
  const start: NonNullable<Context> = helper === "sum" ? [...holder, "[]"] : holder;
  return names.flatMap((node) => {
    const name = node.type === "StringLiteral" ? (node as StringLiteral).value : "";
    return name === "" || /[.[\]]/.test(name) ? [] : [{ steps: [...start, name], node }];
  });
}
