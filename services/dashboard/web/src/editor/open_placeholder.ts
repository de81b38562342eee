/** The word at the cursor in an open placeholder. */
export interface OpenPlaceholder {
  /**
   * `block` after `{{#`, `close` after `{{/`, `partial` after `{{>` and `{{#>`, `name` where a variable or a helper is allowed,
   * `argument` where only values are.
   */
  kind: "block" | "close" | "partial" | "name" | "argument";
  /** Where the word begins, as an offset in the text. */
  from: number;
  /** The typed part of the word. */
  word: string;
}

const LONGEST = 1_000;

/** Returns the word at the end of a text, or null if no placeholder is open there. */
export function openPlaceholder(before: string): OpenPlaceholder | null {
  const start = before.lastIndexOf("{{");
  if (start === -1 || before.length - start > LONGEST) return null;
  const inside = before.slice(start + 2);
  if (inside.includes("}}") || /^~?!/.test(inside)) return null;
  if ((inside.match(/"/g) ?? []).length % 2 === 1) return null;
  const word = /[^\s"'=(){}|~#^/&>]*$/.exec(inside)?.[0] ?? "";
  const from = before.length - word.length;
  const lead = inside.slice(0, inside.length - word.length).trim();
  switch (lead.replace(/^[~{&]+/, "")) {
    case "#":
    case "^":
      return { kind: "block", from, word };
    case ">":
    case "#>":
      return { kind: "partial", from, word };
    case "/":
      return { kind: "close", from, word };
    case "":
      return { kind: "name", from, word };
  }
  return { kind: lead.endsWith("(") ? "name" : "argument", from, word };
}
