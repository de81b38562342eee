import {
  type AccountLocale,
  accountLocale,
  cachedIntegrations,
  openSuppressionLookup,
  openVersionCache,
  type Store,
  type VersionCache,
} from "@posthaste/storage";

/** Look-ups that the store itself does not have. */
export interface CachedReads {
  versions: VersionCache;
  /** The language of an account's mail, where a request names none. */
  accountLocale: AccountLocale;
}

/** Returns a store that answers what every send looks up mostly from memory. */
export function withCachedReads<
  S extends Pick<Store, "accounts" | "integrations" | "suppressions" | "templates">,
>(store: S): S & CachedReads {
  const { accounts, integrations, suppressions, templates } = store;
  return {
    ...store,
    versions: openVersionCache(templates),
    accountLocale: accountLocale(accounts),
    integrations: cachedIntegrations(integrations),
    suppressions: { ...suppressions, among: openSuppressionLookup(suppressions) },
  };
}
