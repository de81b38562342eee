/**
 * Reads the typed default of a variable: JSON if it is valid, else the text itself. An empty text
 * is no default.
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

/**
 * Formats a default so that {@linkcode readDefault} returns it again: texts that look like JSON are
 * quoted.
 */
export function writeDefault(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string" && readDefault(value) === value) return value;
  return JSON.stringify(value);
}
