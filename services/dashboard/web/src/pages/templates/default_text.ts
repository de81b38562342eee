/**
 * Reads the default of a variable as people type it: JSON where it is some, else the text itself.
 * Nothing typed is no default.
 */
export function readDefault(typed: string): unknown {
  const text = typed.trim();
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Writes a default so that {@linkcode readDefault} gives it back: texts that look like JSON are quoted. */
export function writeDefault(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string" && readDefault(value) === value) return value;
  return JSON.stringify(value);
}
