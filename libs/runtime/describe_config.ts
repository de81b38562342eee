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

interface FieldInfo {
  type?: string;
  expected?: string;
  secret?: boolean;
  description?: string;
  fallback?: unknown;
  optional: boolean;
}

function describeSetting(name: string, field: z.core.$ZodType): SettingDescription {
  const info = collectInfo(field);
  const type = info.type ?? "text";
  return {
    name,
    type,
    default: formatDefault(type, info.fallback),
    required: !info.optional && info.fallback === undefined,
    description: info.description ?? "",
    expected: info.expected ?? "a text",
    secret: info.secret ?? false,
  };
}

/** Walks through the wrappers (`optional`, `default`, `prefault`); the outermost word counts. */
function collectInfo(field: z.core.$ZodType): FieldInfo {
  const info: FieldInfo = { optional: false };
  let current: z.core.$ZodType | undefined = field;
  while (current !== undefined) {
    const meta = (current as z.ZodType).meta() ?? {};
    if (typeof meta["type"] === "string") info.type ??= meta["type"];
    if (typeof meta["expected"] === "string") info.expected ??= meta["expected"];
    if (typeof meta["secret"] === "boolean") info.secret ??= meta["secret"];
    if (meta.description !== undefined) info.description ??= meta.description;
    const def = current._zod.def as {
      type: string;
      innerType?: z.core.$ZodType;
      defaultValue?: unknown;
    };
    if (def.type === "optional" || def.type === "nullable") info.optional = true;
    if ("defaultValue" in def) info.fallback ??= def.defaultValue;
    current = def.innerType;
  }
  return info;
}

function formatDefault(type: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && type === "duration") return formatDuration(value);
  if (typeof value === "number" && type === "bytes") return formatBytes(value);
  return String(value);
}
