import type { OpenBlock } from "./open_blocks.ts";

/**
 * What a template may write, inside the blocks that are open, to read the paths: `lines[].price` is
 * `price` inside `{{#each lines}}`, and what is outside is reached by `@root.`. What cannot be written
 * in one piece, such as the items of another list, is left out.
 */
export function scopedPaths(paths: readonly string[], blocks: readonly OpenBlock[]): string[] {
  const scope = scopeOf(blocks);
  const inner = paths.filter((path) => scope !== "" && path.startsWith(scope))
    .map((path) => path.slice(scope.length));
  const outer = paths.filter((path) => scope === "" || !path.startsWith(scope))
    .map((path) => scope === "" ? path : `@root.${path}`);
  return [...new Set([...inner, ...outer].map(writable).filter((path) => path !== ""))];
}

function scopeOf(blocks: readonly OpenBlock[]): string {
  let scope = "";
  for (const { name, argument } of blocks) {
    if (name !== "each" && name !== "with") continue;
    const base = argument.startsWith("@root.") ? argument.slice("@root.".length) : scope + argument;
    scope = name === "each" ? `${base}[].` : `${base}.`;
  }
  return scope;
}

/** A list is read by its own name; what its items have only inside an `each`. */
function writable(path: string): string {
  const list = path.indexOf("[]");
  return list === -1 ? path : path.slice(0, list);
}
