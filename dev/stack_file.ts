import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const stackFileSchema = z.object({
  mongodbUrl: z.string(),
  natsUrl: z.string(),
  /** Left out when `MASTER_KEY` was given. */
  masterKeyFile: z.string().optional(),
  apiUrl: z.string(),
  token: z.string(),
  accountId: z.string(),
});

/** What the command line needs to reach the demonstration. */
export type StackFile = z.infer<typeof stackFileSchema>;

/** Reads what the start before has written; `undefined` if there was none. */
export async function readStackFile(dataDir: string): Promise<StackFile | undefined> {
  try {
    const text = await readFile(join(dataDir, "stack.json"), "utf8");
    return stackFileSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Writes the file for its owner's eyes only, whole or not at all. */
export async function writeStackFile(dataDir: string, content: StackFile): Promise<void> {
  const file = join(dataDir, "stack.json");
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
