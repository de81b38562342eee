import { z } from "zod";

/**
 * Removes fields that are optional in a schema and `null` in a value: many serialisers write `null` for a
 * field that is left out. Changes the value in place. Fields that the schema does not describe stay, and so
 * does `null` inside of `variables`.
 */
export function dropNulls(schema: z.core.$ZodType, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const item of value) dropNulls(schema.element, item);
  } else if (schema instanceof z.ZodUnion) {
    for (const option of schema.options) dropNulls(option, value);
  } else if (schema instanceof z.ZodObject) {
    const fields = value as Record<string, unknown>;
    for (const [name, field] of Object.entries<z.core.$ZodType>(schema.shape)) {
      const isOptional = field instanceof z.ZodOptional;
      if (isOptional && fields[name] === null) delete fields[name];
      else dropNulls(isOptional ? field.unwrap() : field, fields[name]);
    }
  }
}
