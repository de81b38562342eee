import { LRUCache } from "lru-cache";
import type { AccountStore } from "./account_store.ts";

const MAX_ACCOUNTS = 10_000;

/** Returns the language in which an account wants its mail; `undefined` if it names none. */
export type AccountLocale = (accountId: string) => Promise<string | undefined>;

/** Returns the look-up of the languages of accounts, mostly from memory: at most `ttlMs` milliseconds old (5 s). */
export function accountLocale(
  { find: findAccount }: Pick<AccountStore, "find">,
  { ttlMs = 5000 }: { ttlMs?: number | undefined } = {},
): AccountLocale {
  const cache = new LRUCache<string, { locale: string | undefined }>({
    max: MAX_ACCOUNTS,
    ignoreFetchAbort: true,
    ttl: ttlMs,
    fetchMethod: async (id) => ({ locale: (await findAccount(id))?.locale ?? undefined }),
  });
  return async (accountId) => (await cache.forceFetch(accountId)).locale;
}
