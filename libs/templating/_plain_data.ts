import { randomUUID } from "node:crypto";
import { RenderError } from "./render_error.ts";

const DEPTH = 64;

/** Random, so that no value and no template can contain it. */
const MARK = `\uE000${randomUUID()}\uE000`;

/**
 * The only ancestor of objects that a template sees. `{{customer}}` would print `[object Object]` into a
 * mail; instead it prints the mark, which is found in the output. It cannot throw here: Handlebars compares
 * contexts with `!=`, which also requests the text of an object.
 */
const PRINTED = Object.freeze(Object.assign(Object.create(null), {
  [Symbol.toPrimitive](this: object): string {
    const fields = Object.keys(this).slice(0, 5).map((field) => `"${field}"`);
    return `${MARK}${fields.join(", ")}${MARK}`;
  },
}));

/**
 * Rebuilds values from JSON or a structured clone so that no template can reach a prototype. They inherit
 * only the mark for {@linkcode refuseObjects}.
 *
 * @throws {RenderError} If they are nested more than 64 deep, or are no data.
 */
export function plainData(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "function" || typeof value === "symbol") {
      throw new RenderError("data", `Cannot fill a template with a ${typeof value}`);
    }
    return typeof value === "bigint" ? String(value) : value;
  }
  if (depth > DEPTH) {
    const reason = `the values are nested more than ${DEPTH} deep`;
    throw new RenderError("data", `Cannot fill the template: ${reason}`);
  }
  if (Array.isArray(value)) return value.map((item) => plainData(item, depth + 1));
  if (value instanceof Date) return value.toISOString();
  const plain: Record<string, unknown> = Object.create(PRINTED);
  for (const key of Object.keys(value)) {
    plain[key] = plainData((value as Record<string, unknown>)[key], depth + 1);
  }
  return plain;
}

/**
 * Returns the text as it is, if no object was printed into it.
 *
 * @throws {RenderError} If an object was printed; the message names its fields.
 */
export function refuseObjects(text: string): string {
  const start = text.indexOf(MARK);
  if (start === -1) return text;
  const from = start + MARK.length;
  const fields = text.slice(from, text.indexOf(MARK, from)).replaceAll("&quot;", '"');
  const reason = fields === "" ? "it has no fields" : `name one of its fields (${fields})`;
  throw new RenderError("error", `Cannot print an object as text: ${reason}`);
}
