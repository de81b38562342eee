import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import process from "node:process";
import { listPages } from "./list_pages.ts";

const EXTERNAL = /^(?:https?|mailto):/;

/**
 * Checks that every link and image in the documentation leads to a file that exists, every anchor to a
 * heading of that page, and that every source file that it names exists. Links to other hosts are not followed.
 *
 * @returns one line per violation.
 */
export function checkLinks(root: string): string[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (file: string) => {
    const known = anchors.get(file) ?? anchorsIn(readFileSync(file, "utf8"));
    anchors.set(file, known);
    return known;
  };
  const sources = sourcesIn(root);
  return listPages(root).flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    const lost = linksIn(text).flatMap((link) => {
      const [path = "", anchor] = link.split("#");
      const file = path === "" ? join(root, page) : join(root, dirname(page), decodeURI(path));
      if (!existsSync(file)) return [`${page}: no file for the link "${link}"`];
      if (anchor === undefined || anchorsOf(file).has(anchor)) return [];
      return [`${page}: no heading for the link "${link}"`];
    });
    const unknown = sourcesNamedBy(text).filter((name) => !sources.has(name));
    return [...lost, ...unknown.map((name) => `${page}: no source file "${name}"`)];
  });
}

/** Returns the ends of the paths of all source files of the repository: `a/b/c.ts`, `b/c.ts`, `c.ts`. */
function sourcesIn(root: string): ReadonlySet<string> {
  const exclude = (path: string) => basename(path) === "node_modules";
  return new Set(
    globSync("**/*.{ts,tsx}", { cwd: root, exclude }).flatMap((path) => {
      const steps = path.split(sep);
      return steps.map((_, start) => steps.slice(start).join("/"));
    }),
  );
}

/** Returns the source files that a page mentions in code, as it writes them. */
function sourcesNamedBy(page: string): string[] {
  const names = withoutFences(page).matchAll(/`((?:[\w.-]+\/)*\w+\.tsx?)`/g);
  return [...new Set([...names].map(([, name = ""]) => name))];
}

/** Returns the targets of all links and images that stay inside of the repository. */
function linksIn(page: string): string[] {
  const text = withoutFences(page).replace(/`[^`\n]*`/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !EXTERNAL.test(target));
}

/** Returns the anchors of a page; a repeated heading gets a number. */
function anchorsIn(page: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  return new Set(
    [...withoutFences(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => {
      const slug = slugOf(heading);
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

function withoutFences(page: string): string {
  return page.replace(/^```[\s\S]*?^```/gm, "");
}

if (import.meta.main) {
  const violations = checkLinks(join(import.meta.dirname, ".."));
  for (const line of violations) process.stdout.write(`${line}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

/** Returns the anchor of a heading, as GitHub derives it. */
function slugOf(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-");
}
