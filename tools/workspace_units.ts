import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join, normalize } from "node:path";

/** A folder of the repository with rules of its own. */
export interface Unit {
  /** Its folder, from the root: `libs/messaging`. */
  folder: string;
  /** The name for imports, if it can be imported: `@posthaste/messaging`. */
  packageName: string | undefined;
  /** All names for imports: the paths of its `exports`. A library has its name alone. */
  entries: ReadonlySet<string>;
  /** The file of each of its `exports`: `.` is `./mod.ts`. */
  exports: ReadonlyMap<string, string>;
  /** Third-party packages that its `package.json` declares. */
  declared: ReadonlySet<string>;
  /** Its TypeScript files, from the root. */
  files: string[];
}

interface Manifest {
  name?: string;
  exports?: string | Record<string, string>;
  workspaces?: string[];
  [section: string]: unknown;
}

const SECTIONS = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
] as const;

/** Lists the workspaces of a repository, and its `tools`, which declare in the root's manifest. */
export function listUnits(root: string): Unit[] {
  const manifest = readManifest(root);
  const folders = globSync(manifest.workspaces ?? [], { cwd: root })
    .filter((folder) => existsSync(join(root, folder, "package.json")));
  const units = folders.map((folder) => toUnit(root, folder, readManifest(join(root, folder))));
  return [...units, {
    ...toUnit(root, "tools", manifest),
    packageName: undefined,
    entries: new Set<string>(),
    exports: new Map<string, string>(),
  }]
    .sort((a, b) => a.folder < b.folder ? -1 : 1);
}

/** Lists what may be imported by name, with the file that stands behind it. */
export function listEntries(units: readonly Unit[]): Map<string, string> {
  const entries = new Map<string, string>();
  for (const { folder, packageName, exports } of units) {
    if (packageName === undefined) continue;
    for (const [path, file] of exports) {
      entries.set(`${packageName}${path.slice(1)}`, normalize(join(folder, file)));
    }
  }
  return entries;
}

/** Returns whether all of a unit is imported through its `mod.ts`: libraries and the tests' kit. */
export function isLibrary(folder: string): boolean {
  return folder.startsWith("libs/") || folder === "tests/kit";
}

/** Last part of a unit's folder: `messaging`. */
export function shortName(unit: Unit): string {
  return basename(unit.folder);
}

function toUnit(root: string, folder: string, manifest: Manifest): Unit {
  const declared = SECTIONS.flatMap((section) => Object.keys(manifest[section] ?? {}));
  const files = globSync(`${folder}/**/*.{ts,tsx}`, {
    cwd: root,
    exclude: (path) => ["node_modules", "dist"].includes(basename(path)),
  }).sort();
  return {
    folder,
    packageName: manifest.name,
    entries: entriesOf(folder, manifest),
    exports: exportsOf(manifest),
    declared: new Set(declared),
    files,
  };
}

function entriesOf(folder: string, { name, exports }: Manifest): Set<string> {
  if (name === undefined) return new Set();
  const paths = typeof exports === "object" && !isLibrary(folder) ? Object.keys(exports) : ["."];
  return new Set(paths.map((path) => `${name}${path.slice(1)}`));
}

function exportsOf({ exports = {} }: Manifest): Map<string, string> {
  return new Map(typeof exports === "string" ? [[".", exports]] : Object.entries(exports));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
