import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { listUnits } from "./workspace_units.ts";

const PAGE = "docs/architecture.md";
const HEADING = "## Dependencies";
const ROW = /^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/;

/**
 * Checks that the table of dependencies names every third-party package that is declared, the units that
 * declare it, and a reason, and nothing else.
 *
 * @returns one line per violation.
 */
export function checkDependencies(root: string): string[] {
  const declared = declaredIn(root);
  const listed = listedIn(readFileSync(join(root, PAGE), "utf8"));
  const names = [...new Set([...declared.keys(), ...listed.keys()])].sort();
  return names.flatMap((name) => {
    const [units, row] = [declared.get(name), listed.get(name)];
    if (units === undefined) return [`${PAGE} lists "${name}", which nobody declares`];
    if (row === undefined) return [`${PAGE} lacks "${name}" of ${units}: say what it is for`];
    return row === units ? [] : [`${PAGE} gives "${name}" to ${row}; it is declared by ${units}`];
  });
}

function declaredIn(root: string): Map<string, string> {
  const units = listUnits(root);
  const kinds = Map.groupBy(units.map(({ folder }) => folder), dirname);
  const declaring = new Map<string, string[]>();
  for (const { folder, declared } of units) {
    for (const name of declared) {
      if (name.startsWith("@posthaste/")) continue;
      declaring.set(name, [...declaring.get(name) ?? [], folder]);
    }
  }
  return new Map([...declaring].map(([name, folders]) => [name, textOf(folders, kinds)]));
}

/** Returns folders as the table names them: all services are `services/*`. */
function textOf(folders: readonly string[], kinds: ReadonlyMap<string, string[]>): string {
  return [...Map.groupBy(folders, dirname)].flatMap(([kind, own]) =>
    kind !== "." && own.length === kinds.get(kind)?.length ? [`${kind}/*`] : own
  ).sort().join(", ");
}

function listedIn(page: string): Map<string, string> {
  const [, section = ""] = page.split(`${HEADING}\n`);
  const lines = section.split(/\n## /)[0]?.split("\n") ?? [];
  return new Map(lines.flatMap((line) => {
    const [, name = "", units = "", reason = ""] = ROW.exec(line) ?? [];
    return name === "" || reason.trim() === "" ? [] : [[name, units.trim()] as const];
  }));
}

if (import.meta.main) {
  const violations = checkDependencies(join(import.meta.dirname, ".."));
  for (const line of violations) process.stdout.write(`${line}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
