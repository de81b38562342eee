import type { MasterKeys, SealingKey } from "@posthaste/storage";
import type { CommandContext } from "./command_context.ts";
import { usageError } from "./command_error.ts";

/** Reads the master keys of the environment. */
export async function readKeys({ settings }: CommandContext): Promise<MasterKeys> {
  return await parseKeys("MASTER_KEY", settings.masterKey);
}

/** Reads the keys of webhooks of the environment. */
export async function readWebhookKeys({ settings }: CommandContext): Promise<MasterKeys> {
  return await parseKeys("WEBHOOK_KEY", settings.webhookKey ?? "");
}

async function parseKeys(name: string, text: string): Promise<MasterKeys> {
  const { readMasterKeys } = await import("@posthaste/storage");
  try {
    return readMasterKeys(text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(error.message, `set ${name} to "id:base64", the current key first`);
  }
}

/** Reads the key that passwords are sealed to: the environment's or, without it, the first master key's. */
export async function readSealingKeyFor(context: CommandContext): Promise<SealingKey> {
  const { readSealingKey, sealingKeyOf } = await import("@posthaste/storage");
  const { sealingKey } = context.settings;
  if (sealingKey === undefined) return sealingKeyOf(await readKeys(context));
  try {
    return readSealingKey(sealingKey);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(error.message, 'set SEALING_KEY to the output of "posthaste keys public"');
  }
}
