/** How a JSON text is written. */
export interface JsonTextOptions {
  /** The longest line that has a whole object or list, in characters. @default {120} */
  width?: number;
}

/** Returns a value as a JSON file. What fits on a line is on one, so a file has few lines. */
export function jsonText(value: unknown, { width = 120 }: JsonTextOptions = {}): string {
  return `${written(value, { width, indent: "" })}\n`;
}

function written(value: unknown, { width, indent }: { width: number; indent: string }): string {
  // Line breaks within texts are escaped: these are between parts.
  const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, " ");
  const fits = indent.length + line.length <= width;
  if (fits || typeof value !== "object" || value === null) return line;
  const inner = { width, indent: `${indent}  ` };
  const parts = Array.isArray(value)
    ? value.map((each) => written(each, inner))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${written(each, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const lines = parts.map((part) => `${inner.indent}${part}`);
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}
