/** The context of a helper in its template. */
export interface HelperContext {
  readonly hash: Readonly<Record<string, unknown>>;
  readonly locale: string;
  readonly timeZone: string;
  readonly escape: "html" | "xml" | "none";
  /** Addresses of stored images, by name. */
  readonly assets: Readonly<Record<string, string>>;
}

/** An error of a helper. Its sentence is for the author of the template. */
export class HelperError extends Error {}

export function isMissing(value: unknown): value is undefined | null | "" {
  return value === undefined || value === null || value === "";
}

/** Returns whether `{{#if}}` treats a value as empty. */
export function isEmptyValue(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

/** Returns a value in a form that a person recognises in a message, never longer than a line. */
export function shown(value: unknown): string {
  if (typeof value === "string") {
    return `"${value.length > 60 ? `${value.slice(0, 60)}…` : value}"`;
  }
  if (value === undefined || value === null) return "a missing value";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return `"${String(value)}"`;
}

/** Returns the number of a number or a numeric text. */
export function numeric(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.trim() === "" || value.length > 40) return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}

export function needNumber(action: string, value: unknown): number {
  const found = numeric(value);
  if (found === undefined) {
    throw new HelperError(`Cannot ${action} ${shown(value)}: it is not a number`);
  }
  return found;
}

export function needText(action: string, value: unknown): string {
  if (typeof value === "object" && value !== null) {
    throw new HelperError(`Cannot ${action} ${shown(value)}: it is not a text`);
  }
  return String(value ?? "");
}

/** Rounds sums of decimal fractions as people expect: 0.1 + 0.2 is 0.3. */
export function tidy(value: number): number {
  return Number(value.toPrecision(15));
}
