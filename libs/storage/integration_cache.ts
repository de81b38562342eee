import type { Integration } from "@posthaste/contracts";
import { LRUCache } from "lru-cache";
import type { IntegrationStore } from "./integration_store.ts";

const MAX_INTEGRATIONS = 10_000;
const MISSING_TTL_MS = 1000;

/**
 * Returns the same operations with `find` mostly from memory. A cached integration is at most `ttlMs`
 * milliseconds old (5 s); the absence of one, at most 1 s.
 */
export function cachedIntegrations<Integrations extends Pick<IntegrationStore, "find">>(
  integrations: Integrations,
  { ttlMs = 5000 }: { ttlMs?: number | undefined } = {},
): Integrations {
  type Key = { accountId: string; id: number };
  const cache = new LRUCache<string, { found: Integration | null }, Key>({
    max: MAX_INTEGRATIONS,
    ignoreFetchAbort: true,
    ttl: ttlMs,
    async fetchMethod(_key, _stale, { context, options }) {
      const found = await integrations.find(context.accountId, context.id);
      if (found === null) options.ttl = Math.min(ttlMs, MISSING_TTL_MS);
      return { found };
    },
  });
  return {
    ...integrations,
    async find(accountId: string, id: number) {
      const entry = await cache.forceFetch(`${accountId}/${id}`, { context: { accountId, id } });
      return entry.found;
    },
  };
}
