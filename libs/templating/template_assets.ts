import type { AssetUse } from "@posthaste/contracts";
import { assetCalls } from "./_asset_calls.ts";
import type { WholeTemplate } from "./include_parts.ts";
import { parseTemplate } from "./_parse_template.ts";

/**
 * Returns the stored images that HTML names with `{{asset "name"}}`, each once, at its first place. It is empty
 * if the HTML cannot be parsed.
 */
export function templateAssets(html: string): AssetUse[] {
  if (!/\basset\b/.test(html)) return [];
  const { ast } = parseTemplate("html", html);
  const found = new Map<string, AssetUse>();
  for (const { node: { loc }, name } of ast ? assetCalls(ast) : []) {
    if (name === undefined || found.has(name)) continue;
    found.set(name, { name, line: loc.start.line, column: loc.start.column + 1 });
  }
  return [...found.values()];
}

/**
 * Returns the stored images that compiled HTML names, with their places in the author's HTML or a partial. One
 * that is not in the author's HTML itself is said to be at its beginning.
 */
export function publishedAssets(
  compiled: string,
  { written, placeOf }: { written: string; placeOf: WholeTemplate["placeOf"] },
): AssetUse[] {
  const uses = templateAssets(written).map((use) => placeOf("html", use));
  const places = new Map(uses.map((use) => [use.name, use]));
  return templateAssets(compiled).map(({ name }) =>
    places.get(name) ?? { name, line: 1, column: 1 }
  );
}
