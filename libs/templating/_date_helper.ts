import { dateFormat } from "./_formats.ts";
import { type HelperContext, HelperError, isMissing, shown } from "./_helper_values.ts";

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const STYLES = ["short", "medium", "long", "full"];
const FIELDS = ["weekday", "year", "month", "day", "hour", "minute", "second", "timeZoneName"];

/** Formats a date: `{{date value "long" timeStyle="short" tz="Europe/Berlin" locale="de"}}`. */
export function formatDate([value, style]: unknown[], context: HelperContext): string {
  if (isMissing(value)) return "";
  const { instant, floating } = readDate(value);
  const iso = instant.toISOString();
  if (style === "iso") return floating ? iso.slice(0, 10) : iso;
  const options = dateOptions(value, style, context);
  // A value without an offset is a local day or time: no zone may move it.
  const timeZone = floating ? "UTC" : text(context.hash["tz"]) ?? context.timeZone;
  const locale = text(context.hash["locale"]) ?? context.locale;
  try {
    return dateFormat(locale, { ...options, timeZone }).format(instant);
  } catch (error) {
    throw new HelperError(`Cannot format date ${shown(value)}: ${reason(error)}`);
  }
}

function readDate(value: unknown): { instant: Date; floating: boolean } {
  if (typeof value === "number") return { instant: valid(value, new Date(value)), floating: false };
  const found = typeof value === "string" ? ISO.exec(value.trim()) : null;
  if (!found) throw notADate(value);
  const [, day, time = "00:00", offset] = found;
  const zone = offset && offset.length === 3 ? `${offset}:00` : offset ?? "Z";
  const instant = valid(value, new Date(`${day}T${time}${zone}`));
  // V8 takes 31 February for 3 March.
  if (new Date(`${day}T00:00Z`).getUTCDate() !== Number(day?.slice(8))) throw notADate(value);
  return { instant, floating: offset === undefined };
}

function valid(value: unknown, instant: Date): Date {
  if (Number.isNaN(instant.getTime())) throw notADate(value);
  return instant;
}

function notADate(value: unknown): HelperError {
  return new HelperError(
    `Cannot format date ${shown(value)}: write it as 2026-03-01, as 2026-03-01T18:00:00Z, ` +
      "or as milliseconds since 1970",
  );
}

function dateOptions(
  value: unknown,
  style: unknown,
  { hash }: HelperContext,
): Intl.DateTimeFormatOptions {
  const options: Record<string, unknown> = {};
  for (const field of FIELDS) if (text(hash[field])) options[field] = text(hash[field]);
  if (typeof hash["hour12"] === "boolean") options["hour12"] = hash["hour12"];
  if (FIELDS.some((field) => field in options)) return options;
  const dateStyle = text(hash["dateStyle"]) ?? text(style);
  const timeStyle = text(hash["timeStyle"]);
  for (const each of [dateStyle, timeStyle]) {
    if (each && !STYLES.includes(each)) {
      throw new HelperError(
        `Cannot format date ${shown(value)}: "${each}" is not short, medium, long, full or iso`,
      );
    }
  }
  if (dateStyle || !timeStyle) options["dateStyle"] = dateStyle ?? "medium";
  if (timeStyle) options["timeStyle"] = timeStyle;
  return options;
}

function text(value: unknown): string | undefined {
  if (isMissing(value)) return undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
