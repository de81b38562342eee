import type { Node, PathExpression, StringLiteral } from "./_handlebars.ts";
import type { Call } from "./check_template.ts";
import { type Context, resolve, type Scope } from "./_scope.ts";

/** A field that a template names in a text. */
export interface NamedField {
  /** The path to the field from the top. */
  readonly steps: readonly string[];
  /** The text with the name. */
  readonly node: Node;
}

/**
 * Returns the fields that the arguments of a helper name: `sum lines "price"`, `lookup customer "name"`. A name
 * with a dot or a bracket is left out, as a path of it would be another one.
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
