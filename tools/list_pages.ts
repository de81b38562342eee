import { globSync } from "node:fs";

/** Returns the paths of all pages of the documentation, in order, relative to the root. */
export function listPages(root: string): string[] {
  const exclude = ["docs/site/**"];
  return globSync(["*.md", "docs/**/*.md", "deploy/*.md", "client/*.md"], { cwd: root, exclude })
    .sort();
}
