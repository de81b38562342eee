import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Writes a file that is made from sources; with `--check` it ends with 1 if the file is stale. */
export async function writeGenerated(file: URL, text: string): Promise<void> {
  if (!process.argv.includes("--check")) return await writeFile(file, text);
  const found = await readFile(file, "utf8").catch(() => "");
  if (found === text) return;
  process.stderr.write(`${fileURLToPath(file)} is stale: make it anew\n`);
  process.exitCode = 1;
}
