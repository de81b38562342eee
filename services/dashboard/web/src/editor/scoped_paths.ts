import type { OpenBlock } from "./open_blocks.ts";

/**
 * Returns the expressions for paths inside the open blocks: `lines[].price` is `price` inside
 * `{{#each lines}}`, and outer paths are reached by `@root.`. Paths that no single expression
 * reaches, such as the items of another list, are left out.
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

/** A list is read by its own name; fields of its items only inside an `each`. */
function writable(path: string): string {
  const list = path.indexOf("[]");
  return list === -1 ? path : path.slice(0, list);
}
