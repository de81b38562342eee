/** The part of a lock file with licences. */
export interface LockFile {
  packages: Record<string, { version?: string; license?: string; link?: boolean; dev?: boolean }>;
}

const HEAD = `Posthaste

Posthaste is licensed under the Apache License, Version 2.0: see LICENSE.

This product uses the packages below, each under the licence of its heading. Their texts are in the
packages' own folders, in node_modules and in the images. Packages that are marked with * build,
check or test it, and are in no image. mongod and Debian's packages come by themselves: the image's
bill of materials (/usr/share/posthaste/sbom.ts) lists what is in it.
`;

/**
 * Returns the notice of a project with this lock file.
 *
 * @throws {Error} A package states no licence: find out which it has before it is used
 */
export function noticeOf({ packages }: LockFile): string {
  const byLicence = new Map<string, Set<string>>();
  for (const [path, { version, license, link, dev }] of Object.entries(packages)) {
    if (!path.includes("node_modules/") || link === true) continue;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    if (license === undefined) throw new Error(`Cannot write NOTICE: ${name} names no licence`);
    const names = byLicence.get(license) ?? new Set();
    byLicence.set(license, names.add(`${name} ${version}${dev === true ? " *" : ""}`));
  }
  const sections = [...byLicence].toSorted(([a], [b]) => a < b ? -1 : 1).map(([licence, names]) =>
    `\n${licence}\n${[...names].toSorted().map((name) => `  ${name}\n`).join("")}`
  );
  return `${HEAD}${sections.join("")}`;
}
