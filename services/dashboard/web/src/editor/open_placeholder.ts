/** What is being written in a placeholder that is not closed yet. */
export interface OpenPlaceholder {
  /**
   * `block` after `{{#`, `close` after `{{/`, `name` where a variable or a helper may stand, `argument`
   * where only values may.
   */
  kind: "block" | "close" | "name" | "argument";
  /** Where the word begins, counted from the start of the text. */
  from: number;
  /** What is written of the word so far. */
  word: string;
}

const LONGEST = 1_000;

/** Returns what is being written at the end of a text, or gives null if no placeholder is open there. */
export function openPlaceholder(before: string): OpenPlaceholder | null {
  const start = before.lastIndexOf("{{");
  if (start === -1 || before.length - start > LONGEST) return null;
  const inside = before.slice(start + 2);
  if (inside.includes("}}") || /^~?!/.test(inside)) return null;
  if ((inside.match(/"/g) ?? []).length % 2 === 1) return null;
  const word = /[^\s"'=(){}|~#^/&]*$/.exec(inside)?.[0] ?? "";
  const from = before.length - word.length;
  const lead = inside.slice(0, inside.length - word.length).trim();
  switch (lead.replace(/^[~{&]+/, "")) {
    case "#":
    case "^":
      return { kind: "block", from, word };
    case "/":
      return { kind: "close", from, word };
    case "":
      return { kind: "name", from, word };
  }
  return { kind: lead.endsWith("(") ? "name" : "argument", from, word };
}
