import { readNetworks } from "@posthaste/egress";
import { bearerToken, limitRate, requireScopes, unauthenticated } from "@posthaste/http";
import { isLive, type StorePart } from "@posthaste/storage";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Actor, actorOfToken } from "./actor.ts";
import { HttpError } from "./http_error.ts";

/** What is needed to identify a token. */
export interface TokenGuardDeps {
  store: StorePart<"tokens.find" | "tokens.touch" | "accounts.find">;
  now(): Date;
}

/** How many requests one token may make, in this process. */
export interface TokenRates {
  /** Requests within the window; 0 sets no limit. */
  rateLimit: number;
  rateWindowMs: number;
}

/** The most expensive requests that one token may make per second. */
const HEAVY_PER_SECOND = 5;

/**
 * Accepts only requests with a token that has the route's scopes, at the token's rate. Cookies are
 * ignored: no browser sends a token by itself, so cross-site request forgery is impossible.
 */
export function guardTokens(app: FastifyInstance, deps: TokenGuardDeps, rates: TokenRates): void {
  app.addHook("onRequest", async (request) => {
    request.actor = await findActor(request, deps);
  });
  limitTokens(app, rates);
  app.addHook("onRequest", async ({ actor: { token }, routeOptions }) => {
    requireScopes(token?.scopes ?? [], routeOptions.config.scopes ?? []);
  });
}

/**
 * Limits the rate of each token, and of its expensive requests.
 *
 * @param clock A monotonic clock in milliseconds.
 */
export function limitTokens(
  app: FastifyInstance,
  { rateLimit: max, rateWindowMs: windowMs }: TokenRates,
  clock?: { now(): number },
): void {
  if (max === 0) return;
  app.addHook("onRequest", limitRate({ max, windowMs, clock, callerOf: ({ actor }) => actor.id }));
  const heavy = { name: "heavy", max: HEAVY_PER_SECOND, windowMs: 1000, clock } as const;
  app.addHook(
    "onRequest",
    limitRate({
      ...heavy,
      callerOf: ({ actor, routeOptions: { config } }) => config.isHeavy ? actor.id : undefined,
    }),
  );
}

async function findActor(
  { headers, ip }: FastifyRequest,
  { store, now }: TokenGuardDeps,
): Promise<Actor> {
  const token = await store.tokens.find(bearerToken(headers));
  if (token === null || !isLive(token, now())) throw unauthenticated();
  if (token.addresses.length > 0 && !readNetworks(token.addresses).has(ip)) {
    throw new HttpError("missing_scope", "Cannot use this token here: the address is not allowed");
  }
  const account = await store.accounts.find(token.accountId);
  // Accounts exist as long as their tokens do.
  if (account?._id !== token.accountId) {
    throw new HttpError("unavailable", "Cannot find the account of the token. Retry soon");
  }
  // The time of last use is informative only: a failure to write it must not fail the request.
  store.tokens.touch(token, now()).catch(() => {});
  return actorOfToken(token, account);
}
