import type { Node, PathExpression } from "./_handlebars.ts";
import type { Call } from "./check_template.ts";
import { type Scope, targetOf, writtenName } from "./_scope.ts";

/** A field whose name a template gives as a text in quotes. */
export interface NamedField {
  /** The path to the field from the top. */
  readonly steps: readonly string[];
  /** The text in quotes. */
  readonly node: Node;
}

/** Returns the fields that the arguments of a helper name: `sum lines "price"`, `lookup customer "name"`. */
export function namedFields({ path, params }: Call, scope: Scope): NamedField[] {
  const helper = (path as PathExpression).original;
  if (helper !== "sum" && helper !== "lookup") return [];
  const [holder, ...names] = params;
  return names.flatMap((node) => {
    const name = writtenName(node);
    if (name === undefined) return [];
    const steps = targetOf(holder, scope, helper === "sum" ? ["[]", name] : [name]);
    return steps === undefined ? [] : [{ steps, node }];
  });
}
