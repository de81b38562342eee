/** Returns the name in a tag: `{{ date dueAt "long" }}` prints "dueAt". */
export function nameOf(source: string): string {
  const words = source.replace(/^\{+[~&]?|~?\}+$/g, "").match(/"[^"]*"|'[^']*'|[\w.@[\]/-]+/g) ??
    [];
  const name = words.length > 1 ? words.slice(1).find((word) => !/^["'\d]/.test(word)) : words[0];
  return name ?? words[0] ?? source;
}

/** Returns what a tag of a block says: `if paid`, `else` or `end`. */
export function describeTag(source: string): string {
  const inner = source.replace(/^\{\{~?\s*|\s*~?\}\}$/g, "");
  if (inner.startsWith("/")) return "end";
  if (inner === "^" || inner === "else") return "else";
  return inner.replace(/^[#^]\s*/, "");
}
