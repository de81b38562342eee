import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the application is made of, from the root of the repository. */
const SOURCES = [
  "services/dashboard/web/**/*",
  "services/dashboard/interface/**/*.ts",
  "services/dashboard/texts/*.ts",
  "services/dashboard/build/*.ts",
  "libs/contracts/**/*.ts",
  "package-lock.json",
];

/** What is made of them, what is not part of it, and tests. */
const LEFT_OUT = ["**/node_modules/**", "services/dashboard/web/dist/**", "**/*_test.*"];

/** Returns a digest of all sources of the application, which shows whether one has changed: 64 hex digits. */
export function fingerprintOf(root: string): string {
  const files = globSync(SOURCES, { cwd: root, exclude: LEFT_OUT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  const hash = createHash("sha256");
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${file.slice(root.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}
