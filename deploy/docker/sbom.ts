/**
 * Prints the components of this image as a CycloneDX 1.6 document: Node, the packages of npm with their
 * SHA-512, and those of Debian.
 *
 * ```sh
 * docker run --rm --entrypoint node posthaste-api /usr/share/posthaste/sbom.ts > api.cdx.json
 * ```
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** A third-party component. */
interface Component {
  type: "library" | "application";
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: "SHA-512"; content: string }[];
}

const APP = "/app";
const DPKG_STATUS = "/var/lib/dpkg/status";

/** Returns the packages that npm installed, from its own record of the folder. */
function npmComponents(app: string): Component[] {
  const file = join(app, "node_modules/.package-lock.json");
  if (!existsSync(file)) return [];
  const { packages } = JSON.parse(readFileSync(file, "utf8")) as {
    packages: Record<string, { version?: string; integrity?: string; link?: boolean }>;
  };
  return Object.entries(packages).flatMap(([path, { version, integrity, link }]) => {
    const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? [];
    if (name === undefined || version === undefined || link) return [];
    const [, digest] = /^sha512-(\S+)/.exec(integrity ?? "") ?? [];
    const content = digest && Buffer.from(digest, "base64").toString("hex");
    return [{
      type: "library" as const,
      name,
      version,
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      ...(content ? { hashes: [{ alg: "SHA-512" as const, content }] } : {}),
    }];
  });
}

/** Returns the packages of the system, from dpkg's own record. */
function debianComponents(file: string): Component[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8").split("\n\n").flatMap((entry) => {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(entry)?.[1];
    const [name, version, arch] = [field("Package"), field("Version"), field("Architecture")];
    if (name === undefined || version === undefined) return [];
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}`;
    return [{ type: "library" as const, name, version, purl }];
  });
}

const node: Component = {
  type: "application",
  name: "node",
  version: process.versions.node,
  purl: `pkg:generic/node@${process.versions.node}`,
};
const document = {
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  components: [node, ...npmComponents(APP), ...debianComponents(DPKG_STATUS)],
};
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
