import type { KeyUse, MasterKeys, Store } from "@posthaste/storage";
import { Command } from "commander";
import { type CommandContext, openStoreFor } from "../command_context.ts";
import { usageError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { readKeys, readWebhookKeys } from "../read_keys.ts";
import { formatCount } from "../format.ts";

const BATCH = 100;

const WEBHOOKS = [
  "--webhooks",
  "the keys of webhooks (WEBHOOK_KEY) and secrets of endpoints",
] as const;

interface KeyOptions {
  webhooks?: true;
}

/** What keys seal: the store's part, and what people call a secret and its record; and how they are read. */
function kindOf({ webhooks }: KeyOptions) {
  return webhooks
    ? {
      ...{ rotation: "webhookSecrets", secret: "secret", record: "webhook endpoint" } as const,
      read: readWebhookKeys,
    }
    : {
      ...{ rotation: "secrets", secret: "password", record: "integration" } as const,
      read: readKeys,
    };
}

/** `posthaste keys …` */
export function keysCommand(context: CommandContext): Command {
  const command = new Command("keys")
    .description("Create, list and replace master keys, which open SMTP passwords.")
    .addHelpText(
      "after",
      `
To replace a key while mail is sent:
  1. posthaste keys generate k2        creates a key; store it with the others
  2. MASTER_KEY=<new>,<old>            for every mailer; restart them one by one
  3. posthaste keys public             prints the new key's public half
  4. SEALING_KEY=<public half>         for the dashboard; restart it
  5. posthaste keys rotate             seals every password to the new key
  6. posthaste keys list               shows that nothing is sealed to the old key
  7. MASTER_KEY=<new>                  keep the old key while backups need it

With --webhooks, "public", "list" and "rotate" are about WEBHOOK_KEY of the service webhooks, which opens the
secrets of endpoints, and WEBHOOK_SEALING_KEY of the dashboard. The steps are the same.

Examples:
  posthaste keys list
  posthaste keys rotate
  posthaste keys rotate --webhooks
`,
    );
  command.command("generate <id>")
    .description("Create a master key. It is printed once and not stored.")
    .addHelpText("after", "\nExample:\n  posthaste keys generate k2 >> master.keys\n")
    .action((id: string) => generateKey(context, id));
  command.command("public")
    .description(
      "Print the public half of the first key of MASTER_KEY: the dashboard's SEALING_KEY.",
    )
    .option(...WEBHOOKS)
    .addHelpText("after", "\nExample:\n  posthaste keys public\n")
    .action((options: KeyOptions) => printPublicKey(context, options));
  command.command("list")
    .description("List the master keys by their ids, and how many passwords are sealed to each.")
    .option(...WEBHOOKS)
    .addHelpText("after", "\nExample:\n  posthaste keys list --json\n")
    .action((options: KeyOptions) => listKeys(context, options));
  command.command("rotate")
    .description("Seal every password to the first key of MASTER_KEY, without opening any.")
    .option(...WEBHOOKS)
    .addHelpText(
      "after",
      `
Sending continues meanwhile. The command can be interrupted and repeated. The exit code is 1 if a
secret is still sealed to another key or in the old format.

Example:
  posthaste keys rotate
`,
    )
    .action((options: KeyOptions) => rotateKeys(context, options));
  return command;
}

async function generateKey({ output }: CommandContext, id: string): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(id)) {
    throw usageError(
      `Cannot make key "${id}": an id consists of letters, digits, "_", "." and "-"`,
    );
  }
  const { randomBytes } = await import("node:crypto");
  const key = `${id}:${randomBytes(32).toString("base64")}`;
  output.result({ id, key }, () => key);
  output.note("Store it now: it is shown only once, and passwords cannot be opened without it");
}

async function printPublicKey(context: CommandContext, options: KeyOptions): Promise<void> {
  const { sealingKeyOf, writeSealingKey } = await import("@posthaste/storage");
  const key = sealingKeyOf(await kindOf(options).read(context));
  const sealingKey = writeSealingKey(key);
  context.output.result({ id: key.id, sealingKey }, () => sealingKey);
}

async function listKeys(context: CommandContext, options: KeyOptions): Promise<void> {
  const { output } = context;
  const { rotation, secret, read } = kindOf(options);
  const keys = await read(context);
  await using store = await openStoreFor(context);
  const rows = rowsOf(keys, await store[rotation].count());
  output.result(rows, () =>
    output.table(
      ["KEY", "STATE", `${secret.toUpperCase()}S`, "OUTDATED"],
      rows.map(({ id, state, count, outdated }) => [
        id,
        { text: state, style: output.styler(COLOURS[state]) },
        String(count),
        String(outdated),
      ]),
    ));
}

const COLOURS = { current: "green", former: "dim", missing: "red" } as const;

function rowsOf({ currentId, byId }: MasterKeys, uses: readonly KeyUse[]) {
  const useOf = new Map(uses.map(({ keyId, ...use }) => [keyId, use]));
  return [...new Set([...byId.keys(), ...useOf.keys()])].map((id) => ({
    id,
    state: id === currentId
      ? "current" as const
      : byId.has(id)
      ? "former" as const
      : "missing" as const,
    ...(useOf.get(id) ?? { count: 0, outdated: 0 }),
  }));
}

async function rotateKeys(context: CommandContext, options: KeyOptions): Promise<void> {
  const { output } = context;
  const { rotation, secret, record, read } = kindOf(options);
  const keys = await read(context);
  await using store = await openStoreFor(context);
  const { rewrapped, faults } = await rewrapAll(context, store, { keys, options });
  const left = rowsOf(keys, await store[rotation].count())
    .map(({ id, state, count, outdated }) => ({
      id,
      count: state === "current" ? outdated : count,
    }))
    .filter(({ count }) => count > 0);
  const count = left.reduce((sum, each) => sum + each.count, 0);
  for (const { recordId, reason } of faults) output.warn(reason, `${record} ${recordId}`);
  output.result({ currentId: keys.currentId, rewrapped, left: count, faults }, () => {
    const done = `${formatCount(rewrapped, secret)} sealed to "${keys.currentId}"`;
    if (count === 0) return `${done}; none left`;
    const others = left.map((each) => `${each.count} of "${each.id}"`).join(", ");
    return `${done}; left: ${others}`;
  });
  if (count > 0) context.endWith(EXIT.failed);
}

async function rewrapAll(
  { output }: CommandContext,
  store: Store,
  { keys, options }: { keys: MasterKeys; options: KeyOptions },
) {
  const { rotation, secret } = kindOf(options);
  const faults = [];
  let rewrapped = 0;
  for (let after: string | undefined = "";;) {
    const batch = await store[rotation].rewrap({ keys, limit: BATCH, after });
    rewrapped += batch.rewrapped;
    faults.push(...batch.faults);
    if (batch.last === null) return { rewrapped, faults };
    after = batch.last;
    output.note(`${formatCount(rewrapped, secret)} so far`);
  }
}
