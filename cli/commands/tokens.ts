import {
  type AccessToken,
  type Account,
  TOKEN_SCOPES,
  type TokenLimits,
  type TokenScope,
} from "@posthaste/contracts";
import type { Store } from "@posthaste/storage";
import { Command } from "commander";
import {
  type CommandContext,
  findAccountFor,
  listAccountsFor,
  openStoreFor,
} from "../command_context.ts";
import { notFoundError, usageError } from "../command_error.ts";
import { readDuration, readInteger } from "../read_option.ts";
import { formatTime } from "../format.ts";

interface CreateOptions {
  account?: string;
  name: string;
  scopes: string;
  expires?: string;
  address?: string[];
  template?: string[];
  integration?: string[];
}

interface RollOptions extends AccountOption {
  overlap: string;
}

interface AccountOption {
  account?: string;
}

/** `posthaste tokens …` */
export function tokensCommand(context: CommandContext): Command {
  const command = new Command("tokens")
    .description("Create, list and revoke access tokens of the HTTP interface.")
    .addHelpText(
      "after",
      `
Examples:
  posthaste tokens create --account shop --name website --scopes render,send --expires 90d
  posthaste tokens list --account shop
  posthaste tokens revoke ph_Xk3aQ9
`,
    );
  command.command("create")
    .description("Create a token. It is printed once and not stored.")
    .option("--account <name|id>", "account that the token belongs to")
    .requiredOption("--name <name>", "what it is for")
    .requiredOption("--scopes <list>", `any of ${TOKEN_SCOPES.join(",")}`)
    .option("--expires <duration>", "lifetime, such as 12h or 90d (default: no expiry)")
    .option(
      "--address <network>",
      "only from this network, such as 203.0.113.0/24; repeatable",
      append,
    )
    .option("--template <id>", "only with this email template; repeatable", append)
    .option("--integration <id>", "only through this integration; repeatable", append)
    .addHelpText(
      "after",
      `
The standard output contains only the token; the rest goes to the standard error:
  posthaste tokens create --account shop --name website --scopes send > token.txt
`,
    )
    .action((options: CreateOptions) => createToken(context, options));
  command.command("list")
    .description("List tokens, including revoked and expired tokens.")
    .option("--account <name|id>", "only of this account")
    .addHelpText("after", "\nExample:\n  posthaste tokens list --account shop\n")
    .action((options: AccountOption) => listTokens(context, options));
  command.command("roll <prefix|id>")
    .description("Create a copy of a token. The old token expires later; both work until then.")
    .option("--account <name|id>", "only among the tokens of this account")
    .option("--overlap <duration>", "how long the old token still works, 30d at most", "24h")
    .addHelpText(
      "after",
      `
The standard output contains only the new token:
  posthaste tokens roll ph_Xk3aQ9 --overlap 1h > token.txt
`,
    )
    .action((which: string, options: RollOptions) => rollToken(context, which, options));
  command.command("revoke <prefix|id>")
    .description("Revoke a token: everywhere, within 5 seconds.")
    .option("--account <name|id>", "only among the tokens of this account")
    .addHelpText("after", "\nExample:\n  posthaste tokens revoke ph_Xk3aQ9\n")
    .action((which: string, options: AccountOption) => revokeToken(context, which, options));
  return command;
}

async function createToken(context: CommandContext, options: CreateOptions): Promise<void> {
  const { output } = context;
  const scopes = readScopes(options.scopes);
  const limits = await readLimits(options);
  const livesMs = options.expires === undefined
    ? undefined
    : await readDuration("--expires", options.expires, { min: 60_000 });
  await using store = await openStoreFor(context);
  const account = await findAccountFor(context, store, options.account);
  const { token, record } = await store.tokens.create({
    accountId: account._id,
    name: options.name,
    scopes,
    limits,
    expiresAt: livesMs === undefined ? null : new Date(Date.now() + livesMs),
  });
  output.note(
    `Token "${record.name}" of account "${account.name}", ${scopes.join(", ")}, ${
      record.expiresAt === null ? "no expiry" : `until ${formatTime(record.expiresAt)}`
    }`,
  );
  output.result({ token, ...show(record, account) }, () => token);
  output.note("Store it now: it is shown only once");
}

function readScopes(list: string): TokenScope[] {
  const words = list.split(",").map((word) => word.trim()).filter((word) => word !== "");
  const wrong = words.find((word) => !TOKEN_SCOPES.includes(word as TokenScope));
  if (words.length > 0 && wrong === undefined) return [...new Set(words)] as TokenScope[];
  throw usageError(
    `Cannot use --scopes "${list}": ${wrong === undefined ? "it is empty" : `no scope "${wrong}"`}`,
    `write one or more of ${TOKEN_SCOPES.join(",")}`,
  );
}

async function listTokens(context: CommandContext, { account }: AccountOption): Promise<void> {
  const { output } = context;
  await using store = await openStoreFor(context);
  const found = await findTokens(context, store, account);
  output.result(
    found.map(({ token, account }) => show(token, account)),
    () =>
      found.length === 0 ? 'There is no token yet. Run "posthaste tokens create"' : output.table(
        ["TOKEN", "NAME", "ACCOUNT", "SCOPES", "STATE", "LAST USED", "ID"],
        found.map(({ token, account }) => {
          const state = stateOf(token);
          return [
            `${token.prefix}…`,
            token.name,
            account.name,
            token.scopes.join(","),
            {
              text: describeState(token, state),
              style: output.styler(state === "live" ? "green" : "dim"),
            },
            token.lastUsedAt === null ? "never" : formatTime(token.lastUsedAt),
            token._id.slice(0, 12),
          ];
        }),
      ),
  );
}

async function readLimits(
  { address = [], template = [], integration = [] }: CreateOptions,
): Promise<TokenLimits> {
  const { readNetworks } = await import("@posthaste/egress");
  try {
    readNetworks(address);
  } catch (error) {
    throw usageError((error as Error).message, "write an address, or one such as 203.0.113.0/24");
  }
  const idsOf = (name: string, ids: readonly string[]) =>
    ids.map((id) => readInteger(name, id, { min: 1, max: 999_999_999 }));
  return {
    addresses: address,
    templates: idsOf("--template", template),
    integrations: idsOf("--integration", integration),
  };
}

function append(value: string, all: string[] = []): string[] {
  return [...all, value];
}

async function rollToken(
  context: CommandContext,
  which: string,
  options: RollOptions,
): Promise<void> {
  const { output } = context;
  const overlapMs = await readDuration("--overlap", options.overlap, {
    ...{ min: 0, max: 30 * 24 * 3_600_000 },
  });
  await using store = await openStoreFor(context);
  const { token, account } = await findToken(context, store, { which, options, verb: "roll" });
  const until = new Date(Date.now() + overlapMs);
  const made = await store.tokens.roll({ accountId: account._id, id: token._id, until });
  if (made === null) {
    throw usageError(`Cannot roll token ${token.prefix}…: it is ${stateOf(token)}`);
  }
  output.note(
    `Token ${token.prefix}… ("${token.name}") expires at ${formatTime(until)} at the latest`,
  );
  output.result({ token: made.token, ...show(made.record, account) }, () => made.token);
  output.note("Store it now: it is shown only once");
}

async function revokeToken(
  context: CommandContext,
  which: string,
  options: AccountOption,
): Promise<void> {
  const { output } = context;
  await using store = await openStoreFor(context);
  const { token, account } = await findToken(context, store, { which, options, verb: "revoke" });
  const isNew = await store.tokens.revoke(account._id, token._id) > 0;
  output.result(
    { id: token._id, prefix: token.prefix, revoked: true, changed: isNew },
    () =>
      isNew
        ? `Revoked token ${token.prefix}… ("${token.name}" of account "${account.name}")`
        : `Token ${token.prefix}… ("${token.name}") was already revoked`,
  );
}

/** Finds a token by itself, its beginning or the beginning of its id. */
async function findToken(
  context: CommandContext,
  store: Store,
  { which, options, verb }: { which: string; options: AccountOption; verb: string },
): Promise<OwnedToken> {
  const { hashAccessToken, isAccessToken } = await import("@posthaste/storage");
  const all = await findTokens(context, store, options.account);
  const id = isAccessToken(which) ? hashAccessToken(which) : which;
  const matching = all.filter(({ token }) =>
    token._id === id || token.prefix === which.replace(/…$/, "") ||
    (/^[0-9a-f]{8,}$/.test(id) && token._id.startsWith(id))
  );
  const [found, other] = matching;
  if (found === undefined) {
    const shown = isAccessToken(which) ? "the token" : `token "${which}"`;
    throw notFoundError(
      `Cannot ${verb} ${shown}: there is none`,
      '"posthaste tokens list" shows prefixes and ids',
    );
  }
  if (other !== undefined) {
    throw usageError(
      `Cannot ${verb} token "${which}": ${matching.length} tokens have this prefix`,
      'use the id that "posthaste tokens list" shows',
    );
  }
  return found;
}

interface OwnedToken {
  token: AccessToken;
  account: Account;
}

async function findTokens(
  context: CommandContext,
  store: Store,
  account: string | undefined,
): Promise<OwnedToken[]> {
  const accounts = await listAccountsFor(context, store, account);
  const lists = await Promise.all(accounts.map(async (account) => {
    const tokens = await store.tokens.list(account._id);
    return tokens.map((token) => ({ token, account }));
  }));
  return lists.flat();
}

type TokenState = "live" | "expired" | "revoked";

function stateOf({ revokedAt, expiresAt }: AccessToken): TokenState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= new Date() ? "expired" : "live";
}

function describeState({ expiresAt }: AccessToken, state: TokenState): string {
  return state === "live" && expiresAt !== null ? `until ${formatTime(expiresAt)}` : state;
}

function show(token: AccessToken, account: Account) {
  const { _id: id, prefix, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
  const times = { createdAt, expiresAt, revokedAt, lastUsedAt };
  const { addresses, templates, integrations } = token;
  const limits = { addresses, templates, integrations };
  const base = { id, prefix, name, accountId: account._id, scopes, limits };
  return { ...base, state: stateOf(token), ...times };
}
