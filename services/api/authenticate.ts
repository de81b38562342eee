import { hash } from "node:crypto";
import type { AccessToken, TokenScope } from "@posthaste/contracts";
import type { FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { LRUCache } from "lru-cache";
import { Refusal } from "./refusal.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The token that came with the request. Set on every route that needs one. */
    caller: AccessToken;
  }
}

/** What {@linkcode authenticate} needs. */
export interface AuthenticateDeps {
  findToken(plaintext: string): Promise<AccessToken | null>;
  /** Remembers that a token was used; called at most once per token and cache period. */
  touchToken?(token: AccessToken): Promise<unknown>;
  now(): Date;
  /**
   * Milliseconds that never go back, as those of the wall clock may: a revoked token must not get
   * its time again. @default {performance}
   */
  clock?: { now(): number };
}

interface Looked {
  token: AccessToken | null;
  isTouched: boolean;
}

/** Below the 5 s within which a revoked token must stop working everywhere. */
const CACHE_MS = 4000;
const CACHED_TOKENS = 10_000;
const BEARER_PATTERN = /^Bearer +([\x21-\x7e]{1,256}) *$/i;

/**
 * Makes the hook that finds out who calls (INTERFACE.md, section 5): `Authorization: Bearer …`, else
 * 401. What was looked up holds for 4 s, found or not, and twins share one look-up.
 */
export function authenticate(deps: AuthenticateDeps): onRequestAsyncHookHandler {
  const cache = new LRUCache<string, Looked, string>({
    max: CACHED_TOKENS,
    ttl: CACHE_MS,
    ttlResolution: 0,
    perf: deps.clock ?? performance,
    ignoreFetchAbort: true,
    allowStaleOnFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: plaintext }) => ({
      token: await deps.findToken(plaintext),
      isTouched: false,
    }),
  });
  return async (request) => {
    const plaintext = BEARER_PATTERN.exec(request.headers.authorization ?? "")?.[1];
    if (plaintext === undefined) throw unauthenticated();
    const key = hash("sha256", plaintext);
    // Most are there: those need no timer.
    const found = cache.get(key) ?? await request.ledger.wait(
      "look up the token",
      () => cache.fetch(key, { context: plaintext }),
    );
    const token = found?.token ?? null;
    if (!found || token === null || !isValid(token, deps.now())) throw unauthenticated();
    if (!found.isTouched) {
      found.isTouched = true;
      // That it was used is nice to know, never worth a request.
      deps.touchToken?.(token).catch(() => {});
    }
    request.caller = token;
  };
}

/** Makes the hook that lets only tokens with a scope through; others get 403. */
export function requireScope(scope: TokenScope): onRequestAsyncHookHandler {
  return async ({ caller }: FastifyRequest) => {
    if (caller.scopes.includes(scope)) return;
    throw new Refusal("missing_scope", `Cannot use this token here: it lacks the scope "${scope}"`);
  };
}

function isValid({ revokedAt, expiresAt }: AccessToken, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

function unauthenticated(): Refusal {
  return new Refusal("unauthenticated", "Unauthenticated");
}
