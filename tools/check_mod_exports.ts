import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize, relative } from "node:path";
import process from "node:process";
import { scanImports } from "./scan_imports.ts";
import { isLibrary, listUnits } from "./workspace_units.ts";

/** Public files of libraries that their `mod.ts` does not name, with the reason. */
const NOT_IN_MOD: Readonly<Record<string, string>> = {
  "libs/templating/sandbox_worker.ts": "started as a process of its own, never imported",
};

/**
 * Checks that each library has a `mod.ts`, and that it exports from every public file: those without
 * a leading underscore that are no tests.
 *
 * @returns one line per violation.
 */
export function checkModExports(root: string): string[] {
  return listUnits(root).filter(({ folder }) => isLibrary(folder))
    .flatMap(({ folder, files }) => {
      const mod = join(folder, "mod.ts");
      if (!existsSync(join(root, mod))) return [`${folder} has no mod.ts`];
      const named = new Set(
        scanImports(readFileSync(join(root, mod), "utf8"))
          .map(({ specifier }) => normalize(join(folder, specifier))),
      );
      return files.filter((file) => isPublic(file, folder) && !named.has(file))
        .map((file) => `${file} is not exported from ${mod}: export it or start its name with _`);
    });
}

function isPublic(file: string, folder: string): boolean {
  if (Object.hasOwn(NOT_IN_MOD, file) || file === join(folder, "mod.ts")) return false;
  const inner = relative(folder, dirname(file)).split("/");
  if (inner.some((part) => part.startsWith("_") || part === "fixtures")) return false;
  const name = basename(file);
  return !name.startsWith("_") && !name.endsWith("_test.ts") && !name.endsWith(".d.ts");
}

if (import.meta.main) {
  const violations = checkModExports(join(import.meta.dirname, ".."));
  for (const line of violations) process.stdout.write(`${line}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
