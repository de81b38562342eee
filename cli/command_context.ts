import { isAbsolute, join } from "node:path";
import type { Account } from "@posthaste/contracts";
import type { Bus } from "@posthaste/messaging";
import type { Store, StorePart } from "@posthaste/storage";
import { type Api, openApi } from "./api.ts";
import { auditedStore } from "./audited_store.ts";
import { brokerOpeningRemedy } from "./broker_remedy.ts";
import { CommandError, notFoundError, usageError } from "./command_error.ts";
import { databaseRemedy } from "./database_remedy.ts";
import { EXIT } from "./exit_code.ts";
import type { Output } from "./output.ts";
import type { Settings } from "./settings.ts";

/** The context of every command. */
export interface CommandContext {
  output: Output;
  settings: Settings;
  stdin: NodeJS.ReadStream;
  stderr: NodeJS.WriteStream;
  /** The operator's current folder. */
  cwd: string;
  /** Makes the command end with another code than 0 although it succeeded. */
  endWith(code: number): void;
}

/** Options of the commands that speak HTTP. */
export interface HttpOptions {
  url?: string;
  tokenFile?: string;
}

/** Opens the database; for a migration, with documents that are older than this program reads. */
export async function openStoreFor(
  { settings }: CommandContext,
  { migrating = false }: { migrating?: boolean } = {},
): Promise<Store> {
  const url = settings.mongodbUrl;
  const { openStore } = await import("@posthaste/storage");
  try {
    return auditedStore(
      await openStore({ url, appName: "posthaste-cli", maxPoolSize: 4, migrating }),
    );
  } catch (cause) {
    throw new CommandError(reasonOf(cause), {
      exitCode: EXIT.failed,
      remedy: databaseRemedy(cause, settings),
      cause,
    });
  }
}

/** Opens the broker. */
export async function openBusFor({ settings }: CommandContext): Promise<Bus> {
  const url = settings.natsUrl;
  const { openBus } = await import("@posthaste/messaging");
  try {
    return await openBus({ url, name: "posthaste-cli" });
  } catch (cause) {
    throw new CommandError(`Cannot open the broker: ${reasonOf(cause)}`, {
      exitCode: EXIT.failed,
      remedy: brokerOpeningRemedy(cause, settings),
      cause,
    });
  }
}

/** Opens the HTTP interface. */
export function openApiFor({ settings, cwd }: CommandContext, options: HttpOptions): Api {
  const { url, tokenFile } = options;
  const path = tokenFile === undefined ? undefined : resolvePath(cwd, tokenFile);
  const where = settings.http({ url, tokenFile: path });
  const remedy = settings.remedy(
    "check that the api service runs and the URL is correct (--url, POSTHASTE_URL)",
  );
  return openApi({ ...where, remedy });
}

/** Opens management by token. */
export function openManageFor({ settings, cwd }: CommandContext, options: HttpOptions): Api {
  const { url, tokenFile } = options;
  const path = tokenFile === undefined ? undefined : resolvePath(cwd, tokenFile);
  const remedy = "check that the dashboard service runs and the URL is correct (POSTHASTE_URL)";
  return openApi({ ...settings.manage({ url, tokenFile: path }), remedy });
}

/** Returns the account that an option names or, without the option, that of the demonstration. */
export async function findAccountFor(
  { settings }: CommandContext,
  store: StorePart<"accounts.find">,
  nameOrId: string | undefined,
): Promise<Account> {
  const wanted = nameOrId ?? settings.accountId;
  if (wanted === undefined) {
    throw usageError("Cannot choose the account: --account is missing", SEE_ACCOUNTS);
  }
  const account = await store.accounts.find(wanted);
  if (account !== null) return account;
  throw notFoundError(`Cannot find account "${wanted}": none has this id or name`, SEE_ACCOUNTS);
}

/** Returns the accounts of a list: the named one, the demonstration's, or all. */
export async function listAccountsFor(
  context: CommandContext,
  store: StorePart<"accounts.list" | "accounts.find">,
  nameOrId: string | undefined,
): Promise<Account[]> {
  if (nameOrId === undefined && context.settings.accountId === undefined) {
    return await store.accounts.list();
  }
  return [await findAccountFor(context, store, nameOrId)];
}

/** Returns the absolute form of an operator's path. */
export function resolvePath(cwd: string, path: string): string {
  return isAbsolute(path) ? path : join(cwd, path);
}

/** Returns the reason in any thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const SEE_ACCOUNTS =
  '"posthaste accounts list" shows them, "posthaste accounts create" creates one';
