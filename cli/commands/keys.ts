import type { KeyUse, MasterKeys, Store } from "@posthaste/storage";
import { Command } from "commander";
import { type CommandContext, openStoreFor } from "../command_context.ts";
import { usageError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { sayCount } from "../say.ts";

const BATCH = 100;

/** `posthaste keys …` */
export function keysCommand(context: CommandContext): Command {
  const command = new Command("keys")
    .description("Make, list and replace master keys: those that SMTP passwords are sealed under.")
    .addHelpText(
      "after",
      `
To replace a key while mail is sent:
  1. posthaste keys generate k2        makes a key; keep it where the others are
  2. MASTER_KEY=<old>,<new>            for every mailer; start them again, one after another
  3. MASTER_KEY=<new>,<old>            for the mailers and for whoever runs this command
  4. posthaste keys rotate             brings every password under the new key
  5. posthaste keys list               shows that nothing is under the old one
  6. MASTER_KEY=<new>                  and keep the old one as long as backups need it

Examples:
  posthaste keys list
  posthaste keys rotate
`,
    );
  command.command("generate <id>")
    .description("Make a master key. It is printed once and stored nowhere.")
    .addHelpText("after", "\nExample:\n  posthaste keys generate k2 >> master.keys\n")
    .action((id: string) => generateKey(context, id));
  command.command("list")
    .description("List the master keys by their ids, and how many passwords are under each.")
    .addHelpText("after", "\nExample:\n  posthaste keys list --json\n")
    .action(() => listKeys(context));
  command.command("rotate")
    .description("Bring every password under the first key of MASTER_KEY. It opens none.")
    .addHelpText(
      "after",
      `
Mail goes on meanwhile. It may be broken off and begun again. It ends with 1 if something is left
under another key.

Example:
  posthaste keys rotate
`,
    )
    .action(() => rotateKeys(context));
  return command;
}

async function generateKey({ output }: CommandContext, id: string): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(id)) {
    throw usageError(`Cannot make key "${id}": an id is made of letters, digits, "_", "." and "-"`);
  }
  const { randomBytes } = await import("node:crypto");
  const key = `${id}:${randomBytes(32).toString("base64")}`;
  output.result({ id, key }, () => key);
  output.note("Keep it now: it is shown this once, and without it no password opens");
}

async function listKeys(context: CommandContext): Promise<void> {
  const { output } = context;
  const keys = await readKeys(context);
  await using store = await openStoreFor(context);
  const rows = rowsOf(keys, await store.countSecrets());
  output.result(rows, () =>
    output.table(
      ["KEY", "STATE", "PASSWORDS"],
      rows.map(({ id, state, count }) => [
        id,
        { text: state, style: output.styler(COLOURS[state]) },
        String(count),
      ]),
    ));
}

const COLOURS = { current: "green", former: "dim", missing: "red" } as const;

function rowsOf({ currentId, byId }: MasterKeys, uses: readonly KeyUse[]) {
  const counts = new Map(uses.map(({ keyId, count }) => [keyId, count]));
  return [...new Set([...byId.keys(), ...counts.keys()])].map((id) => ({
    id,
    state: id === currentId
      ? "current" as const
      : byId.has(id)
      ? "former" as const
      : "missing" as const,
    count: counts.get(id) ?? 0,
  }));
}

async function rotateKeys(context: CommandContext): Promise<void> {
  const { output } = context;
  const keys = await readKeys(context);
  await using store = await openStoreFor(context);
  const { rewrapped, faults } = await rewrapAll(context, store, keys);
  const left = rowsOf(keys, await store.countSecrets())
    .filter(({ state, count }) => state !== "current" && count > 0);
  const count = left.reduce((sum, each) => sum + each.count, 0);
  for (const { recordId, reason } of faults) output.warn(reason, `integration ${recordId}`);
  output.result({ currentId: keys.currentId, rewrapped, left: count, faults }, () => {
    const done = `${sayCount(rewrapped, "password")} brought under "${keys.currentId}"`;
    if (count === 0) return `${done}; none is left under another key`;
    const under = left.map((each) => `${each.count} under "${each.id}"`).join(", ");
    return `${done}; left: ${under}`;
  });
  if (count > 0) context.endWith(EXIT.failed);
}

async function rewrapAll({ output }: CommandContext, store: Store, keys: MasterKeys) {
  const faults = [];
  let rewrapped = 0;
  for (let after: string | undefined = "";;) {
    const batch = await store.rewrapSecrets({ keys, limit: BATCH, after });
    rewrapped += batch.rewrapped;
    faults.push(...batch.faults);
    if (batch.last === null) return { rewrapped, faults };
    after = batch.last;
    output.note(`${sayCount(rewrapped, "password")} so far`);
  }
}

/** Reads the master keys of the environment. */
export async function readKeys({ settings }: CommandContext): Promise<MasterKeys> {
  const { readMasterKeys } = await import("@posthaste/storage");
  try {
    return readMasterKeys(settings.masterKey);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(error.message, 'write MASTER_KEY as "id:base64", the current key first');
  }
}
