import {
  type AccessToken,
  TOKEN_SCOPES,
  type TokenLimits,
  tokenLimitsSchema,
} from "@posthaste/contracts";
import { readNetworks } from "@posthaste/egress";
import { isLive } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Routing } from "../app.ts";
import { audit } from "../audit.ts";
import type { NewTokenView, TokenState, TokenView } from "../interface/tokens.ts";
import { notifyOwners } from "../notices.ts";
import { nameInput } from "../people_input.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import type { Principal } from "../session.ts";
import { tokenCurl } from "../token_curl.ts";

const MAX_OVERLAP_DAYS = 30;
const HOUR_MS = 3_600_000;
const TOKEN = z.object({ tokenId: z.string() });
const NEW = z.object({
  name: nameInput,
  scopes: z.array(z.enum(TOKEN_SCOPES)).min(1, { error: "must name at least one" })
    .transform((scopes) => TOKEN_SCOPES.filter((scope) => scopes.includes(scope))),
  expiresAt: z.iso.datetime().nullable().transform((at) => at === null ? null : new Date(at)),
  limits: tokenLimitsSchema.extend({
    addresses: z.array(
      z.string().trim().refine(isNetwork, {
        error: "must be an address, or a network such as 203.0.113.0/24",
      }),
    ).max(100).default([]),
  }).prefault({}),
});
const ROLL = z.object({ overlapHours: z.int().min(0).max(MAX_OVERLAP_DAYS * 24) });

/** Access tokens of the account. Who has one can send mail: owners alone make and revoke them. */
export function tokenRoutes(app: FastifyInstance, routing: Routing): void {
  const { deps: { store, now }, options } = routing;
  const log = { ...store, now };

  async function notifyOfToken(
    { accountId, user, account }: Principal,
    { name, scopes, expiresAt }: AccessToken,
  ): Promise<void> {
    await notifyOwners(accountId, {
      kind: "token",
      variables: {
        ...{ who: user.name, account: account.name, token: name },
        ...{ scopes: scopes.join(", "), expires: dayOf(expiresAt) },
      },
    }, routing);
  }

  app.get("/api/tokens", { config: { role: "viewer" } }, async ({ principal }) => {
    const tokens = await store.tokens.list(principal.accountId);
    const makers = [...new Set(tokens.flatMap(({ createdBy }) => createdBy ?? []))];
    const users = await Promise.all(makers.map((id) => store.people.find(id)));
    const nameOf = new Map(users.flatMap((user) => user === null ? [] : [[user._id, user.name]]));
    return tokens.toReversed().map((token) =>
      viewOf(token, { now: now(), createdBy: nameOf.get(token.createdBy ?? "") ?? null })
    );
  });

  app.post(
    "/api/tokens",
    { config: { role: "owner", isRecent: true } },
    async ({ principal, body }) => {
      const { name, scopes, expiresAt, limits } = readInput(NEW, body);
      const { accountId, user } = principal;
      if (expiresAt !== null && expiresAt <= now()) {
        const issues = [{ path: "expiresAt", message: "must be in the future" }];
        throw new HttpError("invalid_request", "The expiry date must be in the future", { issues });
      }
      const createdBy = user._id;
      const made = await store.tokens.create({
        ...{ accountId, name, scopes, expiresAt, createdBy, limits },
      });
      const { token: text, record } = made;
      await audit(log, principal, {
        ...{ action: "token.created", target: `token ${name} (${record.prefix})` },
        details: {
          scopes: scopes.join(", "),
          expires: dayOf(expiresAt),
          ...limitDetails(limits),
        },
      });
      await notifyOfToken(principal, record);
      const view: NewTokenView = {
        ...{ token: viewOf(record, { now: now(), createdBy: user.name }), text },
        curl: await tokenCurl({ ...principal, scopes, text }, { store, apiUrl: options.apiUrl }),
      };
      return view;
    },
  );

  app.post(
    "/api/tokens/:tokenId/roll",
    { config: { role: "owner", isRecent: true } },
    async ({ principal, params, body }) => {
      const { tokenId: id } = readInput(TOKEN, params);
      const { overlapHours } = readInput(ROLL, body);
      const { accountId, user } = principal;
      const until = new Date(now().getTime() + overlapHours * HOUR_MS);
      const made = await store.tokens.roll({ accountId, id, until, createdBy: user._id });
      if (made === null) throw new HttpError("not_found", "There is no such active token");
      const { token: text, record } = made;
      await audit(log, principal, {
        ...{ action: "token.rolled", target: `token ${record.name} (${record.prefix})` },
        details: { overlap: `${overlapHours} h`, expires: dayOf(record.expiresAt) },
      });
      await notifyOfToken(principal, record);
      const view: NewTokenView = {
        ...{ token: viewOf(record, { now: now(), createdBy: user.name }), text },
        curl: await tokenCurl({ ...principal, scopes: record.scopes, text }, {
          ...{ store, apiUrl: options.apiUrl },
        }),
      };
      return view;
    },
  );

  app.post("/api/tokens/:tokenId/revoke", { config: { role: "owner" } }, async (request) => {
    const { tokenId } = readInput(TOKEN, request.params);
    const { accountId } = request.principal;
    const tokens = await store.tokens.list(accountId);
    const token = tokens.find(({ _id }) => _id === tokenId);
    if (token === undefined) throw new HttpError("not_found", "There is no such token");
    if (await store.tokens.revoke(accountId, tokenId)) {
      const target = `token ${token.name} (${token.prefix})`;
      await audit(log, request.principal, { action: "token.revoked", target });
    }
    return {};
  });
}

function isNetwork(text: string): boolean {
  try {
    return readNetworks([text]) !== undefined;
  } catch {
    return false;
  }
}

function dayOf(at: Date | null): string {
  return at?.toISOString().slice(0, 10) ?? "never";
}

/** What the audit log tells of limits: those that there are. */
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
