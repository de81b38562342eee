/** A JSON Schema (2020-12), as it is read. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** How a type is written. */
export interface TypeOptions {
  /** Spaces before the closing brace. @default {""} */
  indent?: string;
  /** Enumerations of texts allow other texts too: servers may know more of them. @default {false} */
  open?: boolean;
  /** Properties that are not required may be `undefined`. @default {false} */
  loose?: boolean;
}

/** What is nested deeper is `unknown`. */
const MAX_DEPTH = 32;
const STEP = "  ";
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** Returns the TypeScript type of the values that a schema describes. */
export function typeOfSchema(schema: unknown, options: TypeOptions = {}): string {
  return typeAt(schema, { indent: "", open: false, loose: false, ...options });
}

/** Returns a JSDoc comment of one line; nothing in the text can end it. */
export function docComment(text: string): string {
  return `/** ${text.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ").trim()} */`;
}

/** Returns a name as the key of a property: in quotes unless it is an identifier. */
export function propertyKey(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name);
}

function typeAt(schema: unknown, options: Required<TypeOptions>): string {
  if (!isRecord(schema) || options.indent.length > MAX_DEPTH * STEP.length) return "unknown";
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return enumType(schema["enum"], options);
  for (const word of ["anyOf", "oneOf"]) {
    const branches = schema[word];
    if (Array.isArray(branches)) return unionOf(branches.map((each) => typeAt(each, options)));
  }
  const types = [schema["type"]].flat();
  return unionOf(types.map((type) => typeNamed(type, { schema, options })));
}

function typeNamed(
  type: unknown,
  { schema, options }: { schema: Record<string, unknown>; options: Required<TypeOptions> },
): string {
  if (type === "array") {
    const item = typeAt(schema["items"], options);
    return item.includes("|") || item.includes("&") ? `Array<${item}>` : `${item}[]`;
  }
  if (type === "object") return objectType(schema, options);
  return PRIMITIVES[String(type)] ?? "unknown";
}

function objectType(schema: Record<string, unknown>, options: Required<TypeOptions>): string {
  const { properties, required = [], additionalProperties } = schema;
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  if (fields.length === 0) {
    if (additionalProperties === false) return "Record<string, never>";
    return `Record<string, ${typeAt(additionalProperties, options)}>`;
  }
  const indent = options.indent + STEP;
  const lines = fields.flatMap(([name, field]) => {
    const isNeeded = Array.isArray(required) && required.includes(name);
    const type = typeAt(field, { ...options, indent });
    const more = !isNeeded && options.loose ? " | undefined" : "";
    return [
      ...commentOf(field, indent),
      `${indent}${propertyKey(name)}${isNeeded ? "" : "?"}: ${type}${more};`,
    ];
  });
  return ["{", ...lines, `${options.indent}}`].join("\n");
}

function commentOf(schema: unknown, indent: string): string[] {
  const text = isRecord(schema) ? schema["description"] : undefined;
  return typeof text === "string" && text !== "" ? [indent + docComment(text)] : [];
}

function enumType(values: readonly unknown[], { open }: Required<TypeOptions>): string {
  const known = values.map((value) => JSON.stringify(value));
  const isText = values.some((value) => typeof value === "string");
  return unionOf(open && isText ? [...known, "(string & Record<never, never>)"] : known);
}

function unionOf(types: readonly string[]): string {
  const all = [...new Set(types)];
  return all.includes("unknown") || all.length === 0 ? "unknown" : all.join(" | ");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
