import type { Json } from "./endpoint_list.ts";

const MAX_DEPTH = 6;

/** Texts by their format, or by the name of their field. */
const TEXTS: Readonly<Record<string, string>> = {
  email: "jane@example.net",
  mailto: "mailto:leave@example.com",
  "date-time": "2026-12-01T09:00:00Z",
  uri: "https://example.com",
  url: "https://example.com",
};

/**
 * Returns a small value that a JSON Schema describes: the required fields, or all of an object that requires
 * none. It is a start for people, not a test value.
 */
export function exampleOf(schema: Json, { name = "", depth = 0 } = {}): unknown {
  if (depth > MAX_DEPTH) return null;
  const { const: constant, enum: values, default: preset, type, examples } = schema;
  const [first] = [examples, values].flatMap((list) => Array.isArray(list) ? list : []);
  if (constant !== undefined || first !== undefined) return constant ?? first;
  if (preset !== undefined) return preset;
  const choices = [schema["anyOf"], schema["oneOf"], schema["allOf"]]
    .flatMap((list) => Array.isArray(list) ? list as Json[] : []);
  if (choices[0] !== undefined) return exampleOf(choices[0], { name, depth: depth + 1 });
  switch (Array.isArray(type) ? type[0] : type) {
    case "object":
      return objectOf(schema, depth);
    case "array":
      return [exampleOf((schema["items"] ?? {}) as Json, { name, depth: depth + 1 })];
    case "integer":
    case "number":
      return Number(schema["minimum"] ?? 1);
    case "boolean":
      return true;
    case "string":
      return TEXTS[String(schema["format"])] ?? TEXTS[name] ?? "text";
    default:
      return {};
  }
}

function objectOf(schema: Json, depth: number): Json {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  const required = (schema["required"] ?? []) as string[];
  const shown = required.length === 0 && depth === 0
    ? properties
    : properties.filter(([name]) => required.includes(name));
  return Object.fromEntries(
    shown.map(([name, each]) => [name, exampleOf(each, { name, depth: depth + 1 })]),
  );
}
