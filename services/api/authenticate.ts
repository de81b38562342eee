import { hash } from "node:crypto";
import type { AccessToken, TokenScope } from "@posthaste/contracts";
import { type Networks, readNetworks } from "@posthaste/egress";
import { bearerToken, requireScopes, unauthenticated } from "@posthaste/http";
import { isLive, type StorePart } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";
import type { FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { LRUCache } from "lru-cache";

declare module "fastify" {
  interface FastifyRequest {
    /** The token that came with the request. Set on every route that needs one. */
    caller: AccessToken;
  }
}

/** What {@linkcode authenticate} needs. */
export interface AuthenticateDeps extends StorePart<"tokens.find" | "tokens.touch"> {
  now(): Date;
  /**
   * A monotonic clock in milliseconds. With the wall clock, which can go back, a revoked token
   * could stay valid for longer. @default {performance}
   */
  clock?: { now(): number };
}

interface Looked {
  token: AccessToken | null;
  /** Networks from which the token may be used; undefined for everywhere. */
  networks: Networks | undefined;
  /** When the look-up began, by the clock: its result may be as old as that. */
  askedAt: number;
  isTouched: boolean;
}

/** Less than the 5 s within which a revoked token must stop working everywhere. */
const CACHE_MS = 4000;
const CACHED_TOKENS = 10_000;

/**
 * Creates the hook that authenticates the caller (docs/interface.md, section 5): `Authorization:
 * Bearer …`, else 401. A result, found or not, is valid for 4 s from the start of its look-up, and
 * concurrent requests share one look-up.
 *
 * Nothing compares a secret with the caller's input byte by byte: cache and database are queried by
 * the SHA-256 of the input, and a partly equal hash reveals nothing about a token.
 */
export function authenticate(deps: AuthenticateDeps): onRequestAsyncHookHandler {
  const clock = deps.clock ?? performance;
  const cache = new LRUCache<string, Looked, string>({
    max: CACHED_TOKENS,
    ttl: CACHE_MS,
    ttlResolution: 0,
    perf: clock,
    ignoreFetchAbort: true,
    allowStaleOnFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: plaintext }) => {
      const askedAt = clock.now();
      const token = await deps.tokens.find(plaintext);
      const networks = token?.addresses?.length ? readNetworks(token.addresses) : undefined;
      return { token, networks, askedAt, isTouched: false };
    },
  });
  const isOld = (found: Looked | undefined) =>
    found !== undefined && clock.now() - found.askedAt >= CACHE_MS;
  return async (request) => {
    const plaintext = bearerToken(request.headers);
    const key = hash("sha256", plaintext);
    const ask = (forceRefresh: boolean) =>
      request.store.wait(
        "look up the token",
        () => cache.fetch(key, { context: plaintext, forceRefresh }),
      );
    // Most tokens are in the cache: those need no timer.
    let found = cache.get(key) ?? await ask(false);
    // The result came late, or another request began the look-up long ago. The request's time limit
    // ends this loop.
    while (isOld(found)) found = await ask(true);
    const token = found?.token ?? null;
    if (!found || token === null || !isLive(token, deps.now())) throw unauthenticated();
    if (found.networks !== undefined && !found.networks.has(request.ip)) {
      throw elsewhere(request.ip);
    }
    if (!found.isTouched) {
      found.isTouched = true;
      // The time of last use is informative only: a failure to write it must not fail the request.
      deps.tokens.touch(token).catch(() => {});
    }
    request.caller = token;
  };
}

/** Creates the hook that accepts only tokens with a scope; others get 403. */
export function requireScope(scope: TokenScope): onRequestAsyncHookHandler {
  return async ({ caller }: FastifyRequest) => requireScopes(caller.scopes, [scope]);
}

function elsewhere(ip: string): HttpError {
  return new HttpError(
    "missing_scope",
    `Cannot use this token here: the address ${ip} is not allowed`,
  );
}

/**
 * Rejects a template or an integration that the token is not allowed to use.
 *
 * @throws {HttpError} `missing_scope`
 */
export function requireUse(
  { templates, integrations }: Pick<AccessToken, "templates" | "integrations">,
  use: { templateId?: number | undefined; integrationId?: number | undefined },
): void {
  const { templateId, integrationId } = use;
  if (isBeyond(templates, templateId)) throw notFor(`template ${templateId}`);
  if (isBeyond(integrations, integrationId)) throw notFor(`integration ${integrationId}`);
}

function isBeyond(limit: readonly number[], id: number | undefined): boolean {
  return id !== undefined && limit.length > 0 && !limit.includes(id);
}

function notFor(what: string): HttpError {
  return new HttpError("missing_scope", `Cannot use this token here: ${what} is not allowed`);
}
