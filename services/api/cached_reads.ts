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

/** Returns what every send looks up, mostly from memory. Integrations and suppressions replace the store's own. */
export function cachedReads(
  { accounts, integrations, suppressions, templates }: Pick<
    Store,
    "accounts" | "integrations" | "suppressions" | "templates"
  >,
): CachedReads & Pick<Store, "integrations" | "suppressions"> {
  return {
    versions: openVersionCache(templates),
    accountLocale: accountLocale(accounts),
    integrations: cachedIntegrations(integrations),
    suppressions: { ...suppressions, among: openSuppressionLookup(suppressions) },
  };
}
