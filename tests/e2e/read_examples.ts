import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Pages that have examples. */
const PAGES = ["README.md", "client/README.md", "docs/**/*.md", "deploy/*.md"];

/** A block of code of the documentation. */
export interface Example {
  /** From the root: `docs/http.md`. */
  page: string;
  /** Line of its fence, from 1. */
  line: number;
  /** Title of its section, or an empty text. */
  section: string;
  /** First word after the fence: `sh`. */
  language: string;
  /** Whether a test may run it. A fence such as `sh no-run` forbids it. */
  isRun: boolean;
  text: string;
}

/** Returns all blocks of code of the documentation, in order. */
export function readExamples(root: string): Example[] {
  const pages = globSync(PAGES, { cwd: root, exclude: ["docs/site/**"] }).sort();
  return pages.flatMap((page) => examplesOf(readFileSync(join(root, page), "utf8"), page));
}

/** Returns the blocks of code of one page. */
export function examplesOf(text: string, page: string): Example[] {
  const found: Example[] = [];
  let section = "";
  let open: { indent: string; example: Example; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const [, indent = "", info] = /^( *)```(.*)$/.exec(line) ?? [];
    if (open !== undefined) {
      if (info !== "") {
        open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
        continue;
      }
      found.push({ ...open.example, text: `${open.lines.join("\n")}\n` });
      open = undefined;
    } else if (info !== undefined) {
      const [language = "", ...words] = info.trim().split(/\s+/);
      const isRun = !words.includes("no-run");
      const example = { page, line: index + 1, section, language, isRun, text: "" };
      open = { indent, example, lines: [] };
    } else if (line.startsWith("#")) section = line.replace(/^#+ /, "");
  }
  return found;
}
