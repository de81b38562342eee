import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, dirname, join, normalize } from "node:path";
import process from "node:process";
import { DOORS, DOORS_OPEN_TO, MAY_IMPORT, RESERVED, TESTS_MAY_IMPORT } from "./import_rules.ts";
import { findCircles } from "./find_circles.ts";
import { type FoundImport, packageOf, scanImports, scanName } from "./scan_imports.ts";
import { listEntries, listUnits, shortName, type Unit } from "./workspace_units.ts";

/**
 * Checks every import of a repository against `import_rules.ts`, and that no file imports itself through
 * others, also only for a type.
 *
 * @returns one line per violation: `file:line imports "x": rule`.
 */
export function checkImports(root: string): string[] {
  const units = listUnits(root);
  const byPackage = new Map(units.map((unit) => [unit.packageName, unit]));
  const violations: string[] = [];
  const importsOf = new Map<string, FoundImport[]>();
  for (const unit of units) {
    for (const file of unit.files) {
      const source = readFileSync(join(root, file), "utf8");
      violations.push(...findReserved(source, { unit, file }));
      const imports = scanImports(source);
      importsOf.set(file, imports);
      for (const { specifier, line } of imports) {
        const rule = findRule({ unit, file, specifier, byPackage });
        if (rule !== undefined) violations.push(`${file}:${line} imports "${specifier}": ${rule}`);
      }
    }
  }
  return [...violations, ...describeCircles(importsOf, listEntries(units))];
}

/** Describes each circle at the import that closes it. */
function describeCircles(
  importsOf: ReadonlyMap<string, readonly FoundImport[]>,
  entries: ReadonlyMap<string, string>,
): string[] {
  const targetOf = (file: string, specifier: string) =>
    specifier.startsWith(".")
      ? normalize(join(dirname(file), specifier))
      : entries.get(specifier) ?? specifier;
  const targets = [...importsOf].map(([file, imports]) =>
    [file, imports.map(({ specifier }) => targetOf(file, specifier))] as const
  );
  return findCircles(new Map(targets)).map((circle) => {
    const [first = "", file = first] = [circle[0], circle.at(-1)];
    const closing = importsOf.get(file)?.find(({ specifier }) =>
      targetOf(file, specifier) === first
    );
    return `${file}:${closing?.line} imports "${closing?.specifier}": this closes the circle ${
      [...circle, first].join(" → ")
    }; move what they share into a file of its own`;
  });
}

function findReserved(source: string, { unit, file }: { unit: Unit; file: string }): string[] {
  if (isTestFile(file) || file === "tools/import_rules.ts") return [];
  return RESERVED.filter(({ units }) => !units.includes(unit.folder)).flatMap(({ name, units }) =>
    scanName(source, name)
      .map((line) => `${file}:${line} names "${name}": only ${units.join(", ")} may`)
  );
}

function isTestFile(file: string): boolean {
  return file.endsWith("_test.ts") || /\/_test_\w+\.ts$/.test(file);
}

interface Import {
  unit: Unit;
  file: string;
  specifier: string;
  byPackage: ReadonlyMap<string | undefined, Unit>;
}

/** Returns the rule that an import breaks, if there is one. */
function findRule(found: Import): string | undefined {
  const { specifier } = found;
  if (specifier.startsWith(".")) return findRelativeRule(found);
  if (specifier.startsWith("node:")) return undefined;
  if (builtinModules.includes(specifier)) return `write "node:${specifier}"`;
  const name = packageOf(specifier);
  const target = found.byPackage.get(name);
  return target === undefined ? findThirdPartyRule(found, name) : findUnitRule(found, target);
}

function findRelativeRule({ unit, file, specifier }: Import): string | undefined {
  const target = normalize(join(dirname(file), specifier));
  if (!target.startsWith(`${unit.folder}/`)) {
    return `a relative import stays inside ${unit.folder}; libraries are imported by name`;
  }
  if (basename(target) === "main.ts") return "nobody imports a main.ts";
  if (basename(target).startsWith("_") && dirname(target) !== dirname(file)) {
    return "a file with a leading underscore belongs to its own folder";
  }
  return undefined;
}

function findUnitRule({ unit, file, specifier }: Import, target: Unit): string | undefined {
  if (target === unit) return "inside a folder imports are relative";
  if (target.folder.startsWith("services/")) return "nobody imports a service";
  if (!target.entries.has(specifier)) return "a library is imported by its name alone";
  const group = unit.folder.split("/")[0] ?? "";
  const allowed = MAY_IMPORT[unit.folder] ?? MAY_IMPORT[group] ?? [];
  const name = shortName(target);
  if (allowed.includes("*") || allowed.includes(name)) return undefined;
  const isTest = isTestFile(file);
  const testsMay: readonly string[] = TESTS_MAY_IMPORT;
  if (testsMay.includes(name)) return isTest ? undefined : `only tests import ${name}`;
  const list = [...allowed, ...(isTest ? testsMay : [])];
  return `${unit.folder} may import ${list.length === 0 ? "no library" : list.join(", ")}`;
}

function findThirdPartyRule({ unit }: Import, name: string): string | undefined {
  const door = DOORS.find(({ packages }) => packages.some((pattern) => matches(pattern, name)));
  const open: readonly string[] = DOORS_OPEN_TO;
  if (door && !open.includes(unit.folder) && !isOneOf(door.units, unit.folder)) {
    return `${name} enters through ${door.units.join(", ")} only`;
  }
  const manifest = unit.folder === "tools" ? "package.json" : `${unit.folder}/package.json`;
  return unit.declared.has(name) ? undefined : `${name} is not declared in ${manifest}`;
}

function isOneOf(units: readonly string[], folder: string): boolean {
  return units.some((unit) => matches(unit, folder));
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

if (import.meta.main) {
  const violations = checkImports(join(import.meta.dirname, ".."));
  for (const line of violations) process.stdout.write(`${line}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
