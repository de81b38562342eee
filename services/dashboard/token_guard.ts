import { readNetworks } from "@posthaste/egress";
import { openTokenBuckets } from "@posthaste/limits";
import { isLive, type StorePart } from "@posthaste/storage";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
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

const BEARER_PATTERN = /^Bearer +([\x21-\x7e]{1,256}) *$/i;

/** The most expensive requests that one token may make per second. */
const HEAVY_PER_SECOND = 5;

/**
 * Accepts only requests with a token that has the route's scopes, at the token's rate. Cookies are
 * ignored: no browser sends a token by itself, so cross-site request forgery is impossible.
 */
export function guardTokens(app: FastifyInstance, deps: TokenGuardDeps, rates: TokenRates): void {
  const limit = openRateLimit(rates);
  app.addHook("onRequest", async (request, reply) => {
    const actor = await findActor(request, deps);
    limit(actor, request, reply);
    requireScopes(actor, request);
    request.actor = actor;
  });
}

async function findActor(
  { headers, ip }: FastifyRequest,
  { store, now }: TokenGuardDeps,
): Promise<Actor> {
  const text = BEARER_PATTERN.exec(headers.authorization ?? "")?.[1];
  const token = text === undefined ? null : await store.tokens.find(text);
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

function requireScopes({ token }: Actor, { routeOptions }: FastifyRequest): void {
  const lacking = routeOptions.config.scopes?.find((scope) => !token?.scopes.includes(scope));
  if (lacking === undefined) return;
  throw new HttpError(
    "missing_scope",
    `Cannot use this token here: it lacks the scope "${lacking}"`,
  );
}

/**
 * Counts the requests of each token; `RateLimit-Policy` shows the limit.
 *
 * @param clock A monotonic clock in milliseconds.
 */
export function openRateLimit(
  { rateLimit, rateWindowMs }: TokenRates,
  clock: { now(): number } = performance,
) {
  const all = openTokenBuckets({ perMs: rateLimit / rateWindowMs, burst: rateLimit });
  const heavy = openTokenBuckets({ perMs: HEAVY_PER_SECOND / 1000, burst: HEAVY_PER_SECOND });
  const policy = `"token";q=${rateLimit};w=${Math.ceil(rateWindowMs / 1000)}`;
  return (
    { id }: Pick<Actor, "id">,
    { routeOptions }: { routeOptions: Pick<FastifyRequest["routeOptions"], "config"> },
    reply: Pick<FastifyReply, "header">,
  ): void => {
    if (rateLimit === 0) return;
    const isHeavy = routeOptions.config.isHeavy === true;
    const policies = isHeavy ? `${policy}, "heavy";q=${HEAVY_PER_SECOND};w=1` : policy;
    reply.header("ratelimit-policy", policies);
    const now = clock.now();
    const waitMs = all.take(id, now) || (isHeavy ? heavy.take(id, now) : 0);
    if (waitMs === 0) return;
    const retryAfter = Math.ceil(waitMs / 1000);
    const error = `Too many requests with this token. Retry in ${retryAfter} s`;
    throw new HttpError("too_many_requests", error, { retryAfter });
  };
}

function unauthenticated(): HttpError {
  return new HttpError("unauthenticated", "Unauthenticated");
}
