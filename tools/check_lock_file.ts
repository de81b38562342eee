import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

interface Locked {
  integrity?: string;
  link?: boolean;
  inBundle?: boolean;
  hasInstallScript?: boolean;
}

/** Values of `overrides` in the manifest: versions, or more of them for the dependencies of a package. */
interface Overrides {
  [name: string]: string | Overrides;
}

/**
 * Checks that `package-lock.json` pins every package by the SHA-512 of its archive, that only packages
 * allowed in the manifest run a program when they are installed, and that old versions of npm can read both files.
 *
 * @returns one line per violation.
 */
export function checkLockFile(root: string): string[] {
  const { packages } = readJson(join(root, "package-lock.json")) as {
    packages: Record<string, Locked>;
  };
  const { allowScripts = {}, overrides = {} } = readJson(join(root, "package.json")) as {
    allowScripts?: Record<string, boolean>;
    overrides?: Overrides;
  };
  const violations = Object.entries(packages).flatMap(([path, locked]) => {
    const [, name] = path.split(/(?:^|\/)node_modules\/(?!.*\/node_modules\/)/);
    if (name === undefined || locked.link) return [];
    const isPinned = locked.inBundle || locked.integrity?.startsWith("sha512-");
    const mayRun = !locked.hasInstallScript || allowScripts[name] === true;
    return [
      ...isPinned ? [] : [`package-lock.json has no SHA-512 of "${path}"`],
      ...mayRun
        ? []
        : [`"${name}" runs a program when it is installed: package.json must allow it`],
    ];
  });
  const aliases = aliasesIn(overrides).map((name) =>
    `package.json overrides "${name}" by another package: npm before 10, of Debian too, cannot read it`
  );
  return [...violations, ...aliases];
}

function aliasesIn(overrides: Overrides): string[] {
  return Object.entries(overrides).flatMap(([name, value]) => {
    if (typeof value !== "string") return aliasesIn(value);
    return value.includes(":") ? [name] : [];
  });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

if (import.meta.main) {
  const violations = checkLockFile(join(import.meta.dirname, ".."));
  for (const line of violations) process.stdout.write(`${line}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
