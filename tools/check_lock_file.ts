import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

interface Locked {
  integrity?: string;
  link?: boolean;
  inBundle?: boolean;
  hasInstallScript?: boolean;
}

/**
 * Checks that `package-lock.json` pins every package by the SHA-512 of its archive, and that only packages
 * allowed in the manifest run a program when they are installed.
 *
 * @returns one line per violation.
 */
export function checkLockFile(root: string): string[] {
  const { packages } = readJson(join(root, "package-lock.json")) as {
    packages: Record<string, Locked>;
  };
  const { allowScripts = {} } = readJson(join(root, "package.json")) as {
    allowScripts?: Record<string, boolean>;
  };
  return Object.entries(packages).flatMap(([path, locked]) => {
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
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

if (import.meta.main) {
  const violations = checkLockFile(join(import.meta.dirname, ".."));
  for (const line of violations) process.stdout.write(`${line}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
