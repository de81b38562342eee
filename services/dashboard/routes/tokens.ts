import type { AccessToken, TokenLimits, TokenScope } from "@posthaste/contracts";
import { isLive } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import type { Routing } from "../routing.ts";
import { audit } from "../audit.ts";
import type { Actor } from "../actor.ts";
import type { NewTokenView, TokenState, TokenView } from "../interface/tokens.ts";
import { requireFreeName } from "../free_name.ts";
import { notifyOwners } from "../notices.ts";
import { HttpError } from "../http_error.ts";
import { QUOTAS, requireQuota } from "../quotas.ts";
import { readInput } from "../read_input.ts";
import { type Granted, grantedLimits, grantFaults } from "../token_grant.ts";
import { tokenCurl } from "../token_curl.ts";
import { newTokenSchema, rollSchema, tokenIdSchema } from "../token_input.ts";

const HOUR_MS = 3_600_000;
const SCOPES = ["manage:tokens"] as const;

/**
 * Adds the routes of the account's access tokens. A token can send mail, so only owners create and
 * revoke them.
 */
export function tokenRoutes(app: FastifyInstance, routing: Routing): void {
  const { deps: { store, now }, options } = routing;
  const log = { ...store, now };

  async function notifyOfToken(
    { accountId, name: who, account }: Actor,
    { name, scopes, expiresAt }: AccessToken,
  ): Promise<void> {
    await notifyOwners(accountId, {
      kind: "token",
      variables: {
        ...{ who, account: account.name, token: name },
        ...{ scopes: scopes.join(", "), expires: dayOf(expiresAt) },
      },
    }, routing);
  }

  async function find(accountId: string, id: string): Promise<AccessToken> {
    const token = (await store.tokens.list(accountId)).find(({ _id }) => _id === id);
    if (token === undefined) throw new HttpError("not_found", "There is no such token");
    return token;
  }

  /** Returns the active tokens, if there may be one more. */
  async function requireQuotaFor(accountId: string): Promise<AccessToken[]> {
    const active = (await store.tokens.list(accountId)).filter((token) => isLive(token, now()));
    const { tokens: max } = options.quotas ?? QUOTAS;
    requireQuota(
      active.length,
      max,
      `The account has ${max} active tokens, the maximum. Revoke some first`,
    );
    return active;
  }

  /** Returns a sample request for a person; programs need none. */
  async function curlFor(
    { accountId, person }: Actor,
    { scopes, text }: { scopes: TokenScope[]; text: string },
  ): Promise<string | null> {
    if (person === null) return null;
    const use = { accountId, user: person.user, scopes, text };
    return await tokenCurl(use, { store, apiUrl: options.apiUrl });
  }

  app.get("/api/tokens", { config: { role: "viewer", scopes: SCOPES } }, async ({ actor }) => {
    const tokens = await store.tokens.list(actor.accountId);
    const makers = [...new Set(tokens.flatMap(({ createdBy }) => createdBy ?? []))];
    const users = await Promise.all(makers.map((id) => store.people.find(id)));
    const nameOf = new Map(users.flatMap((user) => user === null ? [] : [[user._id, user.name]]));
    return tokens.toReversed().map((token) =>
      viewOf(token, { now: now(), createdBy: nameOf.get(token.createdBy ?? "") ?? null })
    );
  });

  app.post(
    "/api/tokens",
    { config: { role: "owner", isRecent: true, scopes: SCOPES } },
    async ({ actor, body }) => {
      const { name, scopes, expiresAt, limits: asked } = readInput(newTokenSchema, body);
      const { accountId, userId } = actor;
      const limits = grantedLimits(actor.token, asked);
      if (expiresAt !== null && expiresAt <= now()) {
        const issues = [{ path: "expiresAt", message: "must be in the future" }];
        throw new HttpError("invalid_request", "The expiry date must be in the future", { issues });
      }
      requireGrant(actor, { scopes, expiresAt, ...limits });
      const others = await requireQuotaFor(accountId);
      requireFreeName(actor, name, { kind: "valid token", others });
      const [createdBy, madeBy] = [userId, actor.token?._id];
      const made = await store.tokens.create({
        ...{ accountId, name, scopes, expiresAt, createdBy, madeBy, limits },
      });
      const { token: text, record } = made;
      await audit(log, actor, {
        ...{ action: "token.created", target: `token ${name} (${record.prefix})` },
        details: {
          scopes: scopes.join(", "),
          expires: dayOf(expiresAt),
          ...limitDetails(limits),
        },
      });
      await notifyOfToken(actor, record);
      const view: NewTokenView = {
        ...{ token: viewOf(record, { now: now(), createdBy: makerOf(actor) }), text },
        curl: await curlFor(actor, { scopes, text }),
      };
      return view;
    },
  );

  app.post(
    "/api/tokens/:tokenId/roll",
    { config: { role: "owner", isRecent: true, scopes: SCOPES } },
    async ({ actor, params, body }) => {
      const { tokenId: id } = readInput(tokenIdSchema, params);
      const { overlapHours } = readInput(rollSchema, body);
      const { accountId, userId } = actor;
      const old = await find(accountId, id);
      requireGrant(actor, { ...old, expiresAt: rolledExpiry(old, now()) });
      await requireQuotaFor(accountId);
      const until = new Date(now().getTime() + overlapHours * HOUR_MS);
      const [createdBy, madeBy] = [userId, actor.token?._id];
      const made = await store.tokens.roll({ accountId, id, until, createdBy, madeBy });
      if (made === null) throw new HttpError("not_found", "There is no such active token");
      const { token: text, record } = made;
      await audit(log, actor, {
        ...{ action: "token.rolled", target: `token ${record.name} (${record.prefix})` },
        details: { overlap: `${overlapHours} h`, expires: dayOf(record.expiresAt) },
      });
      await notifyOfToken(actor, record);
      const view: NewTokenView = {
        ...{ token: viewOf(record, { now: now(), createdBy: makerOf(actor) }), text },
        curl: await curlFor(actor, { scopes: record.scopes, text }),
      };
      return view;
    },
  );

  const revoking = { config: { role: "owner", scopes: SCOPES } } as const;
  app.post("/api/tokens/:tokenId/revoke", revoking, async (request) => {
    const { tokenId } = readInput(tokenIdSchema, request.params);
    const { accountId } = request.actor;
    const token = await find(accountId, tokenId);
    const revoked = await store.tokens.revoke(accountId, tokenId);
    if (revoked > 0) {
      const target = `token ${token.name} (${token.prefix})`;
      const details = revoked === 1 ? {} : { made: `${revoked - 1} made by it` };
      await audit(log, request.actor, { action: "token.revoked", target, details });
    }
    return {};
  });
}

function makerOf({ person }: Actor): string | null {
  return person?.user.name ?? null;
}

/** Returns when a token created now expires if it is valid for as long as this one. */
function rolledExpiry({ createdAt, expiresAt }: AccessToken, now: Date): Date | null {
  return expiresAt && new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());
}

/**
 * Refuses a token's request for a token with more rights.
 *
 * @throws {HttpError} `people_only` or `missing_scope`
 */
function requireGrant({ token }: Actor, wanted: Granted): void {
  if (token === null) return;
  const issues = grantFaults(token, wanted);
  const [first] = issues;
  if (first === undefined) return;
  const code = first.path === "scopes" && first.isForPeople ? "people_only" : "missing_scope";
  throw new HttpError(code, `Cannot make this token by a token: "${first.path}" ${first.message}`, {
    issues: issues.map(({ path, message }) => ({ path, message })),
  });
}

function dayOf(at: Date | null): string {
  return at?.toISOString().slice(0, 10) ?? "never";
}

/** Returns the limits that are set, for the audit log. */
function limitDetails(limits: TokenLimits): Record<string, string> {
  return Object.fromEntries(
    Object.entries(limits).filter(([, list]) => list.length > 0)
      .map(([name, list]) => [name, list.join(", ")]),
  );
}

function viewOf(
  token: AccessToken,
  { now, createdBy }: { now: Date; createdBy: string | null },
): TokenView {
  const { _id, name, prefix, scopes, createdAt, lastUsedAt, expiresAt, revokedAt } = token;
  const { addresses, templates, integrations } = token;
  const state: TokenState = isLive(token, now)
    ? "active"
    : revokedAt === null
    ? "expired"
    : "revoked";
  return {
    ...{ id: _id, name, prefix, scopes, state, createdBy, createdAt: createdAt.toISOString() },
    limits: { addresses, templates, integrations },
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}
