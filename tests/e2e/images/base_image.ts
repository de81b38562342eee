import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "./engine.ts";
import { runProgram } from "./run_program.ts";

/** The base of all our images, by its name in the Dockerfile. */
export const BASE = "debian:trixie-slim";

/** Parts that the slim image leaves out. */
const LEFT_OUT = ["doc", "info", "locale", "man", "lintian"];

/**
 * Makes the base image with `debootstrap`, under its own name, for machines that reach a mirror of Debian
 * but no registry. Certificate authorities that this machine trusts beside the usual ones go with it.
 *
 * @returns whether it was made; false if it is there or `debootstrap` is not
 */
export async function makeBaseImage(engine: Engine, folder: string): Promise<boolean> {
  if (await isThere(engine, BASE)) return false;
  const root = join(folder, "base");
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  try {
    await runProgram(["debootstrap", "--variant=minbase", "trixie", root]);
    await writeSources(root);
    const extra = "/usr/local/share/ca-certificates";
    if (existsSync(extra)) await cp(extra, join(root, extra), { recursive: true });
    for (const name of LEFT_OUT) {
      await rm(join(root, "usr/share", name), { recursive: true, force: true });
    }
    await rm(join(root, "var/cache/apt/archives"), { recursive: true, force: true });
    await rm(join(root, "var/lib/apt/lists"), { recursive: true, force: true });
    const archive = join(folder, "base.tar");
    await runProgram(["tar", "--directory", root, "--create", "--file", archive, "."]);
    await engine.run(["import", archive, `docker.io/library/${BASE}`]);
    await rm(archive);
    return true;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Whether the engine has an image. */
export async function isThere(engine: Engine, image: string): Promise<boolean> {
  return await engine.run(["image", "inspect", image]).then(() => true, () => false);
}

/** Adds the updates after the release, from debootstrap's mirror. */
async function writeSources(root: string): Promise<void> {
  const list = join(root, "etc/apt/sources.list");
  const [, mirror] = /^deb (\S+)/m.exec(await readFile(list, "utf8")) ?? [];
  if (mirror === undefined) throw new Error(`Cannot make the base image: no mirror in ${list}`);
  const source = (uri: string, suites: string) =>
    `Types: deb\nURIs: ${uri}\nSuites: ${suites}\nComponents: main\n` +
    `Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n`;
  await rm(list);
  await writeFile(
    join(root, "etc/apt/sources.list.d/debian.sources"),
    `${source(mirror, "trixie trixie-updates")}\n` +
      source(`${mirror.replace(/\/$/, "")}-security`, "trixie-security"),
  );
}
