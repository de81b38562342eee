import { z } from "zod";
import { faultParams } from "./issue_code.ts";

/** A value that a template can print: any JSON value. */
export type VariableValue =
  | string
  | number
  | boolean
  | null
  | VariableValue[]
  | { [key: string]: VariableValue };

/** Placeholder values by name. */
export type Variables = Record<string, VariableValue>;

/** The greatest depth of `variables`: `{}` is depth 1. */
export const MAX_VARIABLE_DEPTH = 32;

/** Returns the depth of a JSON value, but at most `limit` + 1. Scalars are 0. */
export function depthOf(value: unknown, limit: number = MAX_VARIABLE_DEPTH): number {
  if (typeof value !== "object" || value === null) return 0;
  if (limit <= 0) return 1;
  let deepest = 0;
  for (const item of Object.values(value)) {
    const depth = depthOf(item, limit - 1);
    if (depth > deepest) deepest = depth;
    if (deepest >= limit) break;
  }
  return deepest + 1;
}

/**
 * Schema of `variables` in requests and events: an object whose values are any JSON, at most {@linkcode
 * MAX_VARIABLE_DEPTH} levels deep. The values come from a JSON parser, so their kinds need no second check.
 */
export const variablesSchema: z.ZodType<Variables> = z.custom<Variables>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  faultParams("wrong_type", "must be an object of variable names and values"),
).refine(
  (value) => depthOf(value) <= MAX_VARIABLE_DEPTH,
  faultParams("too_deep", `must not be nested deeper than ${MAX_VARIABLE_DEPTH} levels`),
).meta({ type: "object" });

const DECLARATION = {
  /** Name as written in the template; the first part of a dotted path. */
  name: z.string().min(1),
  /** Whether a request without it is refused. */
  required: z.boolean().default(false),
  /** The value if a request has none. */
  default: z.unknown().optional(),
  /** Shown to people who write requests. */
  description: z.string().optional(),
};

/** Schema of one variable of a template for people: it refuses unknown keys. */
export const variableDeclarationSchema = z.strictObject(DECLARATION);

/** Schema of the same in the ledger and in events: it ignores keys of a newer version. */
export const keptDeclarationSchema = z.object(DECLARATION);

/** One variable of a published template. */
export type VariableDeclaration = z.infer<typeof variableDeclarationSchema>;
