import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { explore, type Explored } from "./explore.ts";
import type { ProtocolMutation } from "./mutations.ts";

const LIBRARY = join(import.meta.dirname, "..");

/**
 * Explores a mutated copy of the protocol, or the protocol itself in a world with a fault.
 *
 * @throws {Error} If the place to change does not occur exactly once.
 */
export async function exploreMutated({ name, patch, world }: ProtocolMutation): Promise<Explored> {
  if (patch === undefined) return explore(world);
  const folder = await mkdtemp(join(tmpdir(), "posthaste-protocol-"));
  try {
    const filter = (path: string) => !path.includes("node_modules") && !path.endsWith("_test.ts");
    await cp(LIBRARY, folder, { recursive: true, filter });
    const file = join(folder, patch.file);
    const source = await readFile(file, "utf8");
    const places = source.split(patch.find).length - 1;
    if (places !== 1) {
      throw new Error(`Cannot apply "${name}": ${patch.file} has its place ${places} times`);
    }
    await writeFile(file, source.replace(patch.find, () => patch.replace));
    const url = pathToFileURL(join(folder, "_exploration", "explore.ts")).href;
    const mutated = await import(url) as typeof import("./explore.ts");
    return mutated.explore(world);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
