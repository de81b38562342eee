/**
 * Builds `@posthaste/client` into `client/dist`, as it is published: JavaScript, its types, and a
 * manifest that names them. `npm run build:client`, then `npm publish client/dist`.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "client");

/** Entry points of the package, without their ending. */
const ENTRIES = { ".": "mod", "./webhooks": "webhooks" } as const;

/** Builds the package into a folder, whose content is removed first. */
export function buildClient(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  compile(folder);
  for (const file of ["README.md", "LICENSE"]) {
    copyFileSync(join(SOURCE, file), join(folder, file));
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function compile(folder: string): void {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = [
    ...["--target", "es2022", "--module", "nodenext", "--lib", "esnext,dom,dom.iterable"],
    ...["--types", "", "--declaration", "--rewriteRelativeImportExtensions"],
    ...["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"],
    ...["--verbatimModuleSyntax", "--ignoreConfig", "--rootDir", SOURCE, "--outDir", folder],
  ];
  const files = Object.values(ENTRIES).map((entry) => join(SOURCE, `${entry}.ts`));
  const { status, stdout, error } = spawnSync(process.execPath, [tsc, ...options, ...files], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`Cannot build the client:\n${stdout}`);
  for (const name of globSync("*.d.ts", { cwd: folder })) nameJavaScript(join(folder, name));
}

/** Rewrites imports in a file of types to the built files: the compiler does so in JavaScript only. */
function nameJavaScript(file: string): void {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/(from |import\()"(\.\/\w+)\.ts"/g, '$1"$2.js"'));
}

/** Returns the manifest of the workspace, with the built files as its entry points. */
function manifest(): Record<string, unknown> {
  // The sources are private: Node runs no TypeScript out of `node_modules`.
  const { private: _private, ...own } = JSON.parse(
    readFileSync(join(SOURCE, "package.json"), "utf8"),
  );
  const exports = Object.entries(ENTRIES).map(([path, entry]) => [
    path,
    { types: `./${entry}.d.ts`, default: `./${entry}.js` },
  ]);
  return { ...own, types: "./mod.d.ts", exports: Object.fromEntries(exports) };
}

if (import.meta.main) {
  const folder = join(SOURCE, "dist");
  buildClient(folder);
  process.stdout.write(`The package is in ${folder}\n`);
}
