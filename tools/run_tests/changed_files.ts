import { spawnSync } from "node:child_process";
import type { ImportGraph } from "../import_graph.ts";
import type { Unit } from "../workspace_units.ts";

/**
 * Lists the files that differ from a commit, including untracked ones.
 *
 * @throws {Error} git is missing, or does not know the commit
 */
export function listChanged(root: string, commit: string): string[] {
  const changed = git(root, ["diff", "--name-only", "--relative", commit, "--"]);
  const unknown = git(root, ["ls-files", "--others", "--exclude-standard"]);
  return [...changed, ...unknown];
}

/**
 * Returns the tests that a change of files can touch. A test is touched by the files it reaches. Other files
 * (a template, a manifest) are not in the imports: they touch every test that reaches a source file of their
 * unit, and outside of all units every test.
 */
export function touchedBy(
  changed: readonly string[],
  { tests, graph, units }: { tests: readonly string[]; graph: ImportGraph; units: readonly Unit[] },
): string[] {
  const reaches = new Map(tests.map((test) => [test, graph.reachOf(test)]));
  const reached = new Set([...reaches.values()].flatMap((reach) => [...reach]));
  const others = changed.filter((file) => !reached.has(file) && !isProse(file));
  const folders = others.map((file) =>
    units.find(({ folder }) => file.startsWith(`${folder}/`))?.folder
  );
  if (folders.includes(undefined)) return [...tests];
  return tests.filter((test) => {
    const reach = reaches.get(test) ?? new Set<string>();
    return changed.some((file) => reach.has(file)) ||
      folders.some((folder) => [...reach].some((file) => file.startsWith(`${folder}/`)));
  });
}

/** Pages outside of `docs` are read by people alone. */
function isProse(file: string): boolean {
  return /^[^/]+\.md$/.test(file);
}

function git(root: string, args: string[]): string[] {
  const { status, stdout, stderr, error } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status === 0) return stdout.split("\n").filter((line) => line !== "");
  throw new Error(`Cannot find what changed: ${error?.message ?? stderr.trim()}`);
}
