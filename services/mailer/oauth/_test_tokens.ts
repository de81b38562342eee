import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Integration, IntegrationLoginInput } from "@posthaste/contracts";
import { openGuardedResolver, readNetworks } from "@posthaste/egress";
import type { FaultyOauth } from "@posthaste/kit";
import { openTestMongo, testCertificate } from "@posthaste/kit";
import {
  bindLogin,
  type BoundIntegration,
  openStore,
  readMasterKeys,
  sealingKeyOf,
  sealSecret,
  type Store,
} from "@posthaste/storage";
import { type AccessTokens, openAccessTokens } from "./access_tokens.ts";
import { fetchToken, type TokenClient } from "./fetch_token.ts";

/** The keys of all mailers. */
export const KEYS = readMasterKeys(`k1:${randomBytes(32).toString("base64")}`);

/** The client of the tests, at every provider. */
export const CLIENT = { id: "client-1", secret: "canary-client-secret" };

/** A person's login at Microsoft. */
export const USER = "shop@example.com";

/** Resolves every name to this machine, where any port may be reached. */
export const resolveLocal = openGuardedResolver({
  ports: [443],
  allowed: readNetworks(["127.0.0.1"]),
  lookup: () => Promise.resolve(["127.0.0.1"]),
});

/** Returns how a provider of a test is asked. */
export function clientOf(
  oauth: Pick<FaultyOauth, "origin">,
  changes: Partial<TokenClient> = {},
): TokenClient {
  return {
    endpoints: {
      microsoft: `${oauth.origin}/{tenant}/oauth2/v2.0/token`,
      google: `${oauth.origin}/token`,
    },
    resolveHost: resolveLocal,
    timeoutMs: 5_000,
    now: () => new Date(),
    ca: testCertificate.cert,
    ...changes,
  };
}

/** Logins whose secrets are sealed for a record. */
export type SealedFor = (
  seal: (field: Parameters<typeof bindLogin>[1], secret: string) => ReturnType<typeof sealSecret>,
) => IntegrationLoginInput;

/** A Microsoft application. */
export const BY_CLIENT: SealedFor = (seal) => ({
  ...{ kind: "oauthClientCredentials", user: USER, tenant: "example.com", clientId: CLIENT.id },
  clientSecret: seal("auth.clientSecret", CLIENT.secret),
});

/** Returns the login of a person who consented, and got this token. */
export function byPerson(refreshToken: string | null): SealedFor {
  return (seal) => ({
    ...{ kind: "oauthRefreshToken", provider: "microsoft", tenant: "example.com" },
    ...{ user: USER, clientId: CLIENT.id },
    clientSecret: seal("auth.clientSecret", CLIENT.secret),
    refreshToken: refreshToken === null ? null : seal("auth.refreshToken", refreshToken),
  });
}

function sealerOf(integration: BoundIntegration): Parameters<SealedFor>[0] {
  return (field, secret) =>
    sealSecret(secret, { ...bindLogin(integration, field), key: sealingKeyOf(KEYS) });
}

/** A database, and mailers that share it. */
export interface TestTokens extends AsyncDisposable {
  store: Store;
  /** Creates an integration of an account of its own. */
  create(login: SealedFor, port?: number): Promise<Integration>;
  /** Moves an integration by {@linkcode BY_CLIENT} to another server. */
  move(
    integration: Integration,
    server: Partial<Pick<Integration, "host" | "port">>,
  ): Promise<Integration>;
  /** Opens the tokens of another mailer. */
  mailer(oauth: FaultyOauth, changes?: { now?: () => Date; timeoutMs?: number }): AccessTokens;
}

/** Opens a database for access tokens. */
export async function openTestTokens(): Promise<TestTokens> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await openTestMongo());
  const store = stack.use(await openStore({ url }));
  await store.ensureIndexes();
  const opened = stack.move();
  let accounts = 0;
  return {
    store,
    create: async (login, port = 587) => {
      const accountId = `acc_${++accounts}`;
      const server = { host: "localhost", port };
      return await store.integrations.create({
        ...{ accountId, name: "Main", ...server, tls: "none", senders: [USER] },
        auth: (recordId) => login(sealerOf({ accountId, recordId, ...server })),
      });
    },
    move: async ({ accountId, id, host, port }, changes) => {
      const server = { host, port, ...changes };
      const moved = await store.integrations.update(accountId, id, {
        ...server,
        auth: (recordId) => BY_CLIENT(sealerOf({ accountId, recordId, ...server })),
      });
      assert.ok(moved);
      return moved;
    },
    mailer: (oauth, { now = store.now, timeoutMs = 5_000 } = {}) =>
      openAccessTokens({
        ...{ ...store, keys: KEYS, now, logger: { info: () => {}, warn: () => {} } },
        fetchToken: (login) => fetchToken(login, clientOf(oauth, { timeoutMs })),
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
