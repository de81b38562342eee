import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StackOptions } from "./stack_options.ts";

/** Keys of the system. */
export interface Keys {
  /** File with the master key; not there if `MASTER_KEY` is set. */
  masterKeyFile: string;
  masterKey: string;
  webhookKey: string;
  secondFactorKey: string;
}

/** Returns the keys of the environment, or those kept in the folder of the data; made if missing. */
export async function keptKeys({ env, dataDir }: StackOptions): Promise<Keys> {
  const masterKeyFile = env["MASTER_KEY_FILE"] || join(dataDir, "master.key");
  return {
    masterKeyFile,
    masterKey: env["MASTER_KEY"] || await keptKey(masterKeyFile, "dev:"),
    webhookKey: env["WEBHOOK_KEY"] || await keptKey(join(dataDir, "webhook.key"), "dev:"),
    secondFactorKey: env["SECOND_FACTOR_KEY"] ||
      await keptKey(join(dataDir, "second_factor.key"), ""),
  };
}

async function keptKey(file: string, prefix: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    // An existing key that cannot be read must not be replaced: secrets are sealed under it.
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    const key = prefix + randomBytes(32).toString("base64");
    await writeFile(file, `${key}\n`, { mode: 0o600 });
    return key;
  }
}
