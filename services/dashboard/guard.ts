import { timingSafeEqual } from "node:crypto";
import { includesRole, type Role, type TokenScope } from "@posthaste/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Actor, actorOfPerson } from "./actor.ts";
import { HttpError } from "./http_error.ts";
import { describeRole } from "./describe_role.ts";
import {
  findPrincipal,
  ForeignAccountError,
  needsSecondFactor,
  type Principal,
  requireRecent,
  type SessionDeps,
} from "./session.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller; missing on routes that are open to anyone. */
    principal: Principal;
    /** The same caller, on routes that programs may use, too. */
    actor: Actor;
  }
  interface FastifyContextConfig {
    /** The required role: this one or a higher one, or `anyone`. Every route declares it. */
    role?: Role | "anyone";
    /** Whether people with the role for texts may call it, too. It checks what they change. */
    isForTexts?: boolean;
    /** Whether the person must have confirmed their identity recently. */
    isRecent?: boolean;
    /**
     * Scopes that a token needs, all of them; the route is then also below `/manage/v1`, where
     * roles do not apply. Without it only people may use the route.
     */
    scopes?: readonly TokenScope[];
    /** Whether its bodies are files: bytes of any type but JSON. */
    takesFiles?: boolean;
    /** Whether it is expensive: tokens then have a lower rate limit. */
    isHeavy?: boolean;
  }
}

/** Settings of {@linkcode guardRoutes}. */
export interface GuardOptions {
  /** Address at which people open the dashboard: changes must come from pages of this origin. */
  publicUrl: string;
}

/** Largest body before sign-in, in bytes: names, an address, a password. */
const STRANGERS_BODY_LIMIT = 8_000;

/**
 * Header with the account that the calling page shows; an address that a browser opens itself has
 * `?account=`.
 */
export const ACCOUNT_HEADER = "x-account";

const READING = new Set(["GET", "HEAD"]);

/**
 * Name of the cookie: because of the prefix, no other host and no page without TLS can set it (RFC
 * 6265bis).
 */
export const SESSION_COOKIE = "__Host-posthaste";

/**
 * Requires every route below `/api` to declare its callers, and refuses others: by their role in
 * the account that the page shows, and for changes also by origin, by the session's token (CSRF),
 * and by a missing account.
 *
 * @throws {Error} At the start, if a route does not declare its callers.
 */
export function guardRoutes(app: FastifyInstance, deps: SessionDeps, options: GuardOptions): void {
  const origin = new URL(options.publicUrl).origin;
  // Every request gets its own principal before anything reads it.
  app.decorateRequest("principal", null as unknown as Principal);
  app.decorateRequest("actor", null as unknown as Actor);
  app.addHook("onRoute", (route) => {
    const { url, config, method } = route;
    if (config?.role === "anyone") route.bodyLimit = STRANGERS_BODY_LIMIT;
    if (!url.startsWith("/api") || config?.role !== undefined || method === "OPTIONS") return;
    throw new Error(`Cannot add the route "${method} ${url}": it does not declare who may call it`);
  });
  app.addHook("onRequest", async (request) => {
    const { role, isForTexts = false } = request.routeOptions.config;
    if (role === undefined) return;
    const changes = !READING.has(request.method);
    if (changes && request.headers.origin !== origin) {
      throw new HttpError(
        "wrong_origin",
        `Requests from this address are not allowed. Open ${options.publicUrl}`,
      );
    }
    if (role === "anyone") return;
    const token = request.cookies[SESSION_COOKIE];
    const account = accountOf(request);
    const principal = token === undefined
      ? undefined
      : await findPrincipal(token, account, deps).catch(foreignAccount);
    if (principal === undefined) throw new HttpError("signed_out", "You are signed out");
    // Another tab may have changed to another account: the person's last account must not be
    // assumed here.
    if (changes && account === undefined) {
      throw new HttpError(
        "wrong_account",
        "The request names no account. Reload the page",
      );
    }
    if (changes && !hasToken(request, principal.session.csrfToken)) {
      throw new HttpError("wrong_origin", "The page is out of date. Reload it and try again");
    }
    const isAllowed = includesRole(principal.role, role) ||
      isForTexts && principal.role === "texts";
    if (!isAllowed) {
      const message = `Requires the ${role} role; you are ${describeRole(principal.role)}`;
      throw new HttpError("not_allowed", message);
    }
    if (needsSecondFactor(principal) && !isAboutOneself(request.routeOptions.url ?? "")) {
      throw new HttpError(
        "second_factor_missing",
        "This account requires a second factor. Add one",
      );
    }
    if (request.routeOptions.config.isRecent === true) requireRecent(principal, deps.now());
    request.principal = principal;
    request.actor = actorOfPerson(principal);
  });
}

/** Returns whether a route shows and changes nothing of the account. */
function isAboutOneself(url: string): boolean {
  return /^\/api\/(session|you)(\/|$)/.test(url);
}

function accountOf({ headers, query }: FastifyRequest): string | undefined {
  const asked = headers[ACCOUNT_HEADER] ?? (query as { account?: unknown } | undefined)?.account;
  return typeof asked === "string" && asked !== "" ? asked : undefined;
}

function foreignAccount(error: unknown): never {
  if (!(error instanceof ForeignAccountError)) throw error;
  throw new HttpError("wrong_account", "You are not a member of the account on this page");
}

function hasToken({ headers }: FastifyRequest, wanted: string): boolean {
  const given = headers["x-csrf-token"];
  if (typeof given !== "string") return false;
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
