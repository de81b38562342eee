import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { listPages } from "./list_pages.ts";

/** The longest cell, in characters: about two short lines of a column. */
const MAX_CELL = 160;

/** The customer wrote these pages: they stay as they are. */
const EXEMPT: ReadonlySet<string> = new Set(["docs/interface.md"]);

/**
 * Checks that cells of tables hold phrases, not paragraphs. Links and images count by their text.
 *
 * @returns one line per violation.
 */
export function checkTables(root: string): string[] {
  const pages = listPages(root).filter((page) => !EXEMPT.has(page));
  return pages.flatMap((page) =>
    longCellsIn(readFileSync(join(root, page), "utf8")).map(({ line, text }) =>
      `${page}:${line}: a cell has ${text.length} characters (limit: ${MAX_CELL}). ` +
      `Move a part below the table: "${text.slice(0, 40)}…"`
    )
  );
}

/** Returns the cells that are too long, with their lines counted from 1. */
function longCellsIn(page: string): { line: number; text: string }[] {
  let fence: string | undefined;
  return page.split("\n").flatMap((row, index) => {
    const [, mark = ""] = /^\s*(`{3,}|~{3,})/.exec(row) ?? [];
    if (fence === undefined) fence = mark || undefined;
    else if (mark.startsWith(fence)) fence = undefined;
    if (fence !== undefined) return [];
    return cellsOf(row).filter((text) => text.length > MAX_CELL)
      .map((text) => ({ line: index + 1, text }));
  });
}

/** Returns the cells of a row as readers see them, or none if the line is no row. */
function cellsOf(line: string): string[] {
  if (!line.trimStart().startsWith("|")) return [];
  return line.split(/(?<!\\)\|/).map((cell) => withoutAddresses(cell).trim());
}

function withoutAddresses(text: string): string {
  return text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
}

if (import.meta.main) {
  const violations = checkTables(join(import.meta.dirname, ".."));
  for (const line of violations) process.stdout.write(`${line}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
