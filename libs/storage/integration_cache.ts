import type { Integration } from "@posthaste/contracts";
import { LRUCache } from "lru-cache";
import type { IntegrationStore } from "./integration_store.ts";

const MAX_INTEGRATIONS = 10_000;
const MISSING_TTL_MS = 1000;

/** Integrations, mostly from memory. */
export interface IntegrationCache {
  /** Finds an integration as it was at most `ttlMs` ago; that there is none, at most 1 s ago. */
  findIntegration(accountId: string, id: number): Promise<Integration | null>;
}

/** Opens a cache of integrations, whose answers hold for `ttlMs` milliseconds (5 s). */
export function openIntegrationCache(
  store: Pick<IntegrationStore, "findIntegration">,
  { ttlMs = 5000 }: { ttlMs?: number | undefined } = {},
): IntegrationCache {
  type Key = { accountId: string; id: number };
  const cache = new LRUCache<string, { found: Integration | null }, Key>({
    max: MAX_INTEGRATIONS,
    ignoreFetchAbort: true,
    ttl: ttlMs,
    async fetchMethod(_key, _stale, { context, options }) {
      const found = await store.findIntegration(context.accountId, context.id);
      if (found === null) options.ttl = Math.min(ttlMs, MISSING_TTL_MS);
      return { found };
    },
  });
  return {
    async findIntegration(accountId, id) {
      const entry = await cache.forceFetch(`${accountId}/${id}`, { context: { accountId, id } });
      return entry.found;
    },
  };
}
