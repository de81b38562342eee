import type { z } from "zod";
import { formatBytes, formatDuration } from "./units.ts";

/** One setting, as the documentation shows it. */
export interface SettingDescription {
  /** Name of the environment variable. */
  name: string;
  /** Kind of value: `duration`, `port`, `url`. */
  type: string;
  /** The default as one would write it; `undefined` when there is none. */
  default: string | undefined;
  /** Whether the service requires it to start. */
  required: boolean;
  /** What it is for. */
  description: string;
  /** Form of a valid value. */
  expected: string;
  /** Whether its value must never be shown. */
  secret: boolean;
}

/** Lists the settings of a schema in its order, for `docs/settings.md` and for error messages. */
export function describeConfig(schema: z.ZodObject): SettingDescription[] {
  return Object.entries(schema.shape).map(([name, field]) => describeSetting(name, field));
}

interface StatusEvents {
  type?: string;
  expected?: string;
  secret?: boolean;
  description?: string;
  fallback?: unknown;
  optional: boolean;
}

function describeSetting(name: string, field: z.core.$ZodType): SettingDescription {
  const facts = collectFacts(field);
  const type = facts.type ?? "text";
  return {
    name,
    type,
    default: formatDefault(type, facts.fallback),
    required: !facts.optional && facts.fallback === undefined,
    description: facts.description ?? "",
    expected: facts.expected ?? "a text",
    secret: facts.secret ?? false,
  };
}

/** Walks through the wrappers (`optional`, `default`, `prefault`); the outermost word counts. */
function collectFacts(field: z.core.$ZodType): StatusEvents {
  const facts: StatusEvents = { optional: false };
  let current: z.core.$ZodType | undefined = field;
  while (current !== undefined) {
    const meta = (current as z.ZodType).meta() ?? {};
    if (typeof meta["type"] === "string") facts.type ??= meta["type"];
    if (typeof meta["expected"] === "string") facts.expected ??= meta["expected"];
    if (typeof meta["secret"] === "boolean") facts.secret ??= meta["secret"];
    if (meta.description !== undefined) facts.description ??= meta.description;
    const def = current._zod.def as {
      type: string;
      innerType?: z.core.$ZodType;
      defaultValue?: unknown;
    };
    if (def.type === "optional" || def.type === "nullable") facts.optional = true;
    if ("defaultValue" in def) facts.fallback ??= def.defaultValue;
    current = def.innerType;
  }
  return facts;
}

function formatDefault(type: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && type === "duration") return formatDuration(value);
  if (typeof value === "number" && type === "bytes") return formatBytes(value);
  return String(value);
}
