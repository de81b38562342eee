import { canonicalLocale } from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Routing } from "../routing.ts";
import {
  languageInputSchema,
  retentionInputSchema,
  suppressionInputSchema,
} from "../account_input.ts";
import { audit } from "../audit.ts";
import type { AccountView } from "../interface/people.ts";
import { limitRows } from "../limits.ts";
import { nameInput } from "../people_input.ts";
import { QUOTAS, requireQuota } from "../quotas.ts";
import { HttpError, unproven } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { hasSecondFactor } from "../second_factor.ts";
import { requirePerson } from "../token_limits.ts";

const NAME = z.object({ name: nameInput });
const SECOND_FACTOR = z.object({ required: z.boolean() });

/** Adds the routes of the current account, its settings, and new accounts. */
export function accountRoutes(app: FastifyInstance, { deps, options }: Routing): void {
  const { store, now } = deps;
  const log = { ...store, now };

  const scopes = ["manage:account"] as const;
  const viewer = { config: { role: "viewer", scopes } } as const;
  app.get("/api/account", viewer, ({ actor }): AccountView => {
    const { _id: id, name, createdAt, retention, suppressRefused, locale } = actor.account;
    return { id, name, createdAt: createdAt.toISOString(), retention, suppressRefused, locale };
  });

  app.patch("/api/account", { config: { role: "owner" } }, async ({ principal, body }) => {
    const { name } = readInput(NAME, body);
    await store.accounts.update(principal.accountId, { name });
    const details = { from: principal.account.name, to: name };
    await audit(log, principal, { action: "account.renamed", target: `account ${name}`, details });
    return {};
  });

  const owner = { config: { role: "owner", scopes } } as const;
  app.put("/api/account/retention", owner, async ({ actor, body }) => {
    const retention = readInput(retentionInputSchema, body);
    const from = actor.account.retention.contentDays;
    if (retention.contentDays > from) requirePerson(actor, "keep contents for longer");
    await store.accounts.update(actor.accountId, { retention });
    await audit(log, actor, {
      ...{ action: "retention.changed", target: "content retention in days" },
      details: { from, to: retention.contentDays },
    });
    return {};
  });

  app.put("/api/account/language", owner, async ({ actor, body }) => {
    const { locale: given } = readInput(languageInputSchema, body);
    const locale = given === null ? null : canonicalLocale(given) ?? null;
    await store.accounts.update(actor.accountId, { locale });
    await audit(log, actor, {
      ...{ action: "language.changed", target: "language of mails" },
      details: { from: actor.account.locale, to: locale },
    });
    return {};
  });

  app.put("/api/account/suppression", owner, async ({ actor, body }) => {
    const { suppressRefused } = readInput(suppressionInputSchema, body);
    await store.accounts.update(actor.accountId, { suppressRefused });
    await audit(log, actor, {
      ...{ action: "suppression.changed", target: "suppression of refused addresses" },
      details: { from: actor.account.suppressRefused, to: suppressRefused },
    });
    return {};
  });

  app.put(
    "/api/account/second-factor",
    { config: { role: "owner", isRecent: true } },
    async ({ principal, body }) => {
      const { required } = readInput(SECOND_FACTOR, body);
      if (required && principal.user.passwordHash !== null && !hasSecondFactor(principal.user)) {
        throw new HttpError("conflict", "Add a second factor for yourself first");
      }
      await store.accounts.update(principal.accountId, { requiresSecondFactor: required });
      const action = required ? "second_factor.required" : "second_factor.left_open";
      await audit(log, principal, { action, target: `account ${principal.account.name}` });
      return {};
    },
  );

  app.post("/api/accounts", { config: { role: "owner" } }, async ({ principal, body }) => {
    const { name } = readInput(NAME, body);
    const { user, session } = principal;
    if (user.onlyAccountId !== null) throw unproven(user.email);
    const owned = (await store.people.listMemberships(user._id)).filter(({ role }) =>
      role === "owner"
    );
    const { accounts } = options.quotas ?? QUOTAS;
    requireQuota(
      owned.length,
      accounts,
      `You own ${accounts} accounts, the maximum. Leave one first`,
    );
    const account = await store.people.createOwnedAccount({ name, userId: user._id });
    const accountId = account._id;
    const { lastSeenAt, expiresAt } = session;
    await store.sessions.touch(session._id, { lastSeenAt, expiresAt, accountId });
    const entry = { action: "account.created", target: `account ${name}` };
    await audit(log, { accountId, user }, entry);
    return { id: accountId };
  });

  app.get("/api/settings/limits", { config: { role: "viewer" } }, () => limitRows(options.limits));
}
