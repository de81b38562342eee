import type { ReadUse, TemplateRead, VariableDeclaration } from "@posthaste/contracts";

/** A JSON Schema (2020-12), as far as it is needed here. */
export type JsonSchema = { [key: string]: unknown };

/** What a schema is built from. */
export interface ReadTemplate {
  /** Alias or name. */
  title: string;
  variables: readonly VariableDeclaration[];
  /** Missing for a version that was published before reads were recorded. */
  reads?: readonly TemplateRead[] | undefined;
}

interface Node {
  fields: Map<string, Node>;
  items: Node | undefined;
  uses: Set<ReadUse>;
}

const TYPES: Partial<Record<ReadUse, readonly string[]>> = {
  printed: ["string", "number", "boolean"],
  date: ["string", "number"],
  number: ["number", "string"],
};

/**
 * Builds the schema of the variables of a template. Required names and descriptions come from the
 * declarations, shapes and types from what the template reads. Other variables are always allowed.
 */
export function variablesSchemaOf({ title, variables, reads = [] }: ReadTemplate): JsonSchema {
  const root = newNode();
  for (const { name } of variables) fieldOf(root, name);
  for (const { path, uses } of reads) {
    const node = nodeAt(root, path);
    for (const use of uses) node.uses.add(use);
  }
  const needed = variables.filter((each) => each.required && (each.default ?? null) === null);
  const required = needed.map(({ name }) => name);
  const properties: [string, JsonSchema][] = [...root.fields].map(([name, node]) => {
    const declared = variables.find((each) => each.name === name);
    return [name, {
      ...schemaOf(node, { isNullable: !required.includes(name) }),
      ...((declared?.default ?? null) === null ? {} : { default: declared?.default }),
      ...(declared?.description === undefined ? {} : { description: declared.description }),
    }];
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties),
  };
}

function schemaOf(node: Node, { isNullable }: { isNullable: boolean }): JsonSchema {
  if (node.items !== undefined) {
    return { type: "array", items: schemaOf(node.items, { isNullable: true }) };
  }
  if (node.fields.size > 0) {
    const fields = [...node.fields].map(([name, field]) => [
      name,
      schemaOf(field, { isNullable: true }),
    ]);
    return { type: "object", properties: Object.fromEntries(fields) };
  }
  const types = new Set([...node.uses].flatMap((use) => TYPES[use] ?? []));
  // A value that is only tested, or iterated without reading its items, may have any type.
  if (types.size === 0 || node.uses.has("iterated")) return {};
  return { type: [...types, ...isNullable ? ["null"] : []] };
}

function nodeAt(root: Node, path: string): Node {
  let node = root;
  for (const step of path.split(".")) {
    const [name = ""] = step.split("[]");
    node = fieldOf(node, name);
    for (let depth = (step.length - name.length) / 2; depth > 0; depth--) {
      node = node.items ??= newNode();
    }
  }
  return node;
}

function fieldOf(node: Node, name: string): Node {
  const field = node.fields.get(name) ?? newNode();
  node.fields.set(name, field);
  return field;
}

function newNode(): Node {
  return { fields: new Map(), items: undefined, uses: new Set() };
}
