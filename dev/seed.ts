import { type ImportedTemplate, importTemplates } from "@posthaste/cli";
import { API_SCOPES } from "@posthaste/contracts";
import { openStore, type StorePart } from "@posthaste/storage";
import { openSandbox } from "@posthaste/templating";

/** The input of the demonstration. */
export interface SeedOptions {
  mongodbUrl: string;
  /** Folder with the templates. */
  folder: string;
  /** Port of the inbox's SMTP server. */
  smtpPort: number;
  /** The token of the last start: reused if it is still valid. */
  token?: string | undefined;
}

/** The demonstration in the database. */
export interface Demonstration {
  accountId: string;
  token: string;
  integrationId: number;
  templates: ImportedTemplate[];
}

/** Name of the demonstration's account. */
export const ACCOUNT = "Demonstration";

/** Name of the account that sends what Posthaste itself writes to people. */
export const SYSTEM_ACCOUNT = "Posthaste";

/** The address that its mail comes from. */
export const SENDER = "billing@northwind.example";

const SYSTEM_SENDER = "posthaste@localhost.example";

/**
 * Creates the demonstration: an account with the templates of a folder, the inbox as its SMTP server, and a
 * token. Existing parts stay unchanged.
 */
export async function seedDemonstration(options: SeedOptions): Promise<Demonstration> {
  await using store = await openStore({ url: options.mongodbUrl, appName: "npm start" });
  await using sandbox = openSandbox({ workers: 1 });
  const [accountId, systemId] = await Promise.all(
    [ACCOUNT, SYSTEM_ACCOUNT].map(async (name) => {
      const account = await store.accounts.find(name) ?? await store.accounts.create({ name });
      return account._id;
    }),
  ) as [string, string];
  const inbox = {
    name: "Development inbox",
    host: "127.0.0.1",
    port: options.smtpPort,
    tls: "none",
    auth: null,
  } as const;
  const [{ templates }, integration, token] = await Promise.all([
    importTemplates({ store, sandbox, accountId, folder: options.folder }),
    store.integrations.upsertByName({ ...inbox, accountId, senders: [SENDER] }),
    keptToken(store, { accountId, token: options.token }),
    store.integrations.upsertByName({ ...inbox, accountId: systemId, senders: [SYSTEM_SENDER] }),
  ]);
  return { accountId, token, integrationId: integration.id, templates };
}

async function keptToken(
  store: StorePart<"tokens.create" | "tokens.find">,
  { accountId, token }: { accountId: string; token: string | undefined },
): Promise<string> {
  const found = token === undefined ? null : await store.tokens.find(token);
  const isGood = found?.accountId === accountId &&
    API_SCOPES.every((scope) => found.scopes.includes(scope));
  if (token !== undefined && isGood) return token;
  const created = await store.tokens.create({
    accountId,
    name: "npm start",
    scopes: [...API_SCOPES],
  });
  return created.token;
}
