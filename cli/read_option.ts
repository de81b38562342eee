import { usageError } from "./command_error.ts";

/** The range of a number, or of a span of time in milliseconds. */
export interface OptionRange {
  min?: number;
  max?: number;
}

/** Reads a span of time such as `48h` out of an option, in milliseconds. */
export async function readDuration(
  option: string,
  text: string,
  { min = 0, max = Infinity }: OptionRange = {},
): Promise<number> {
  const { formatDuration, parseDuration } = await import("@posthaste/runtime");
  const value = parseDuration(text);
  if (value !== undefined && value >= min && value <= max) return value;
  const range = max === Infinity
    ? `at least ${formatDuration(min)}`
    : `from ${formatDuration(min)} to ${formatDuration(max)}`;
  throw usageError(
    `Cannot use ${option} "${text}": expected a duration such as 30s, 48h or 7d, ${range}`,
  );
}

/** Reads a whole number out of an option. */
export function readInteger(option: string, text: string, range: Required<OptionRange>): number {
  const value = Number(text);
  const { min, max } = range;
  if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
  throw usageError(
    `Cannot use ${option} "${text}": expected a whole number from ${min} to ${max}`,
  );
}

/** Reads a time in ISO 8601 out of an option; without a zone it is taken as UTC. */
export function readTime(option: string, text: string): Date {
  const isTime = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text);
  const hasZone = /(Z|[+-]\d\d:\d\d)$/.test(text) || text.length === 10;
  const at = new Date(isTime ? `${text.replace(" ", "T")}${hasZone ? "" : "Z"}` : NaN);
  if (!Number.isNaN(at.getTime())) return at;
  throw usageError(
    `Cannot use ${option} "${text}": expected a time such as 2026-11-22T03:00Z`,
  );
}
