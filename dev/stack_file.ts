import { readFile, rename, writeFile } from "node:fs/promises";
import { type StackFile, stackFileIn, stackFileSchema } from "@posthaste/cli/stack_file";

/** Reads the file of the last start; `undefined` if there was none. */
export async function readStackFile(dataDir: string): Promise<StackFile | undefined> {
  try {
    const text = await readFile(stackFileIn(dataDir), "utf8");
    return stackFileSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Writes the file, readable by its owner only, whole or not at all. */
export async function writeStackFile(dataDir: string, content: StackFile): Promise<void> {
  const file = stackFileIn(dataDir);
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
