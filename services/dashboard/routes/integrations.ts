import { EVENT_VERSION, type Integration } from "@posthaste/contracts";
import { NameTakenError, RevisionConflictError } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import type { Routing } from "../routing.ts";
import { audit } from "../audit.ts";
import type { Actor } from "../actor.ts";
import {
  integrationChangeSchema,
  integrationIdSchema,
  type IntegrationInputData,
  integrationInputSchema,
  pauseSchema,
  probeInputSchema,
} from "../integration_input.ts";
import {
  checkSecretStays,
  loginOf,
  pointsElsewhere,
  probeSettingsOf,
  skipsCertificate,
} from "../integration_login.ts";
import { summariesOf, viewOf } from "../integration_views.ts";
import type {
  IntegrationSummary,
  IntegrationView,
  ProbeView,
  ProviderPreset,
} from "../interface/integrations.ts";
import { openProbeLimit } from "../probe_limit.ts";
import { notifyOwners } from "../notices.ts";
import { HttpError } from "../http_error.ts";
import { PROVIDER_PRESETS } from "../provider_presets.ts";
import { QUOTAS, requireQuota } from "../quotas.ts";
import { readInput } from "../read_input.ts";
import { requireRecent } from "../session.ts";
import {
  mayUseIntegration,
  requireIntegration,
  requirePerson,
  requireUnlimited,
} from "../token_limits.ts";

/** Longer than the longest probe with its wait. */
const PROBE_TIMEOUT_MS = 27_000;

const SCOPES = ["manage:integrations"] as const;
/** What tokens must not do. */
const SKIP = "switch off the check of certificates";

/**
 * Adds the routes of an account's SMTP servers: creating, changing, testing, stopping and removing
 * them.
 */
export function integrationRoutes(app: FastifyInstance, routing: Routing): void {
  const { store, bus, sealingKey, now } = routing.deps;
  const limit = openProbeLimit();

  async function find(actor: Actor, params: unknown) {
    const { id } = readInput(integrationIdSchema, params);
    const found = await store.integrations.find(actor.accountId, id);
    if (found === null || found.archivedAt !== null) throw missing();
    requireIntegration(actor, id);
    return found;
  }

  async function requireQuotaFor(accountId: string): Promise<void> {
    const { length } = await store.integrations.list(accountId);
    const { integrations: max } = routing.options.quotas ?? QUOTAS;
    const full = `The account has ${max} integrations, the maximum. Remove some first`;
    requireQuota(length, max, full);
  }

  const note = (actor: Actor, action: string, found: { id: number; name: string }) =>
    audit({ ...store, now }, actor, {
      action: `integration.${action}`,
      target: `integration ${found.id}`,
      details: { name: found.name },
    });

  /**
   * Records that mail goes elsewhere, and notifies the owners. The server can read all mail, so
   * editors must not change it, and every owner must know.
   */
  async function noteRepointed(
    actor: Actor,
    before: Integration,
    after: Integration,
  ): Promise<void> {
    const [from, to] = await Promise.all([serversOf(before), serversOf(after)]);
    await audit({ ...store, now }, actor, {
      action: "integration.repointed",
      target: `integration ${after.id}`,
      details: { name: after.name, from, to },
    });
    const { account, name: who } = actor;
    const named = { who, account: account.name, integration: after.name };
    const variables = { ...named, before: from, after: to };
    await notifyOwners(account._id, { kind: "repointed", variables }, routing);
  }

  /** Returns the servers that may get an integration's mail: `mx.example:587, or backup.example:25`. */
  async function serversOf({ accountId, host, port, fallbacks }: Integration): Promise<string> {
    const others = await Promise.all(fallbacks.map((id) => store.integrations.find(accountId, id)));
    const known = others.filter((other) => other !== null);
    return [`${host}:${port}`, ...known.map((other) => `${other.host}:${other.port}`)].join(
      ", or ",
    );
  }

  /**
   * Checks fallbacks that are new: a token must not send mail through integrations that it may not use. Those
   * that were set before stay, also when they are removed meanwhile.
   */
  async function checkFallbacks(
    actor: Actor,
    { fallbacks = [] }: IntegrationInputData,
    current: Integration | null,
  ): Promise<void> {
    for (const [position, id] of fallbacks.entries()) {
      if (current?.fallbacks.includes(id)) continue;
      const found = id === current?.id ? null : await store.integrations.find(actor.accountId, id);
      if (found !== null && found.archivedAt === null && mayUseIntegration(actor, id)) continue;
      throw new HttpError("invalid_request", "The integration cannot be saved: see its fields", {
        issues: [{ path: `fallbacks.${position}`, message: "must be another integration" }],
      });
    }
  }

  app.get(
    "/api/integrations/presets",
    { config: { role: "viewer", scopes: SCOPES } },
    (): Promise<readonly ProviderPreset[]> => Promise.resolve(PROVIDER_PRESETS),
  );

  app.get(
    "/api/integrations",
    { config: { role: "viewer", scopes: SCOPES } },
    async ({ actor }): Promise<IntegrationSummary[]> => {
      const found = await store.integrations.list(actor.accountId);
      const shown = found.filter(({ id }) => mayUseIntegration(actor, id));
      return await summariesOf(actor.accountId, shown, { store, now: now() });
    },
  );

  app.post(
    "/api/integrations",
    { config: { role: "editor", scopes: SCOPES } },
    async ({ actor, body }): Promise<IntegrationView> => {
      const { accountId } = actor;
      const input = readInput(integrationInputSchema, body);
      requireUnlimited(actor, "integrations");
      if (skipsCertificate(input, null)) requirePerson(actor, SKIP);
      await checkFallbacks(actor, input, null);
      await requireQuotaFor(accountId);
      const auth = loginOf(input, { accountId, sealingKey });
      const created = await changing(() =>
        store.integrations.create({ ...settingsOf(input), accountId, auth })
      );
      await note(actor, "created", created);
      return await viewOf(created, { store, now: now() });
    },
  );

  app.get(
    "/api/integrations/:id",
    { config: { role: "viewer", scopes: SCOPES } },
    async ({ actor, params }): Promise<IntegrationView> =>
      await viewOf(await find(actor, params), { store, now: now() }),
  );

  app.put(
    "/api/integrations/:id",
    { config: { role: "editor", scopes: SCOPES } },
    async ({ actor, params, body }): Promise<IntegrationView> => {
      const { accountId } = actor;
      const current = await find(actor, params);
      const { revision, ...input } = readInput(integrationChangeSchema, body);
      if (revision !== current.revision) throw conflict();
      if (skipsCertificate(input, current)) requirePerson(actor, SKIP);
      checkSecretStays(current, input);
      await checkFallbacks(actor, input, current);
      const isMoved = pointsElsewhere(current, input);
      // The server of a fallback can get all mail, too.
      const isRepointed = isMoved || addsFallbacks(current, input);
      if (isRepointed) {
        const { person } = actor;
        if (person !== null && person.role !== "owner") {
          throw onlyOwners(isMoved ? "host" : "fallbacks");
        }
        if (person !== null) requireRecent(person, now());
      }
      const auth = loginOf(input, { accountId, sealingKey, isMoved });
      const changed = await changing(() =>
        store.integrations.update(accountId, current.id, { ...settingsOf(input), auth, revision })
      );
      if (changed === null) throw missing();
      if (isRepointed) await noteRepointed(actor, current, changed);
      else if (changed.revision !== current.revision) await note(actor, "updated", changed);
      return await viewOf(changed, { store, now: now() });
    },
  );

  app.delete(
    "/api/integrations/:id",
    { config: { role: "owner", scopes: SCOPES } },
    async (request) => {
      const { actor, params } = request;
      const found = await find(actor, params);
      await store.integrations.archive(actor.accountId, found.id, now());
      await note(actor, "removed", found);
      return {};
    },
  );

  app.post(
    "/api/integrations/:id/pause",
    { config: { role: "editor", scopes: SCOPES } },
    async ({ actor, params, body }): Promise<IntegrationView> => {
      const found = await find(actor, params);
      const { reason } = readInput(pauseSchema, body ?? {});
      const why = `paused by ${actor.name}${reason === "" ? "" : `: ${reason}`}`;
      await store.integrations.pause(actor.accountId, found.id, { at: now(), reason: why });
      await note(actor, "paused", found);
      return await viewOf(await find(actor, params), { store, now: now() });
    },
  );

  app.post(
    "/api/integrations/:id/resume",
    { config: { role: "editor", scopes: SCOPES } },
    async ({ actor, params }): Promise<IntegrationView> => {
      const found = await find(actor, params);
      const why = `Resumed by ${actor.name}`;
      await store.integrations.resume(actor.accountId, found.id, why);
      await note(actor, "resumed", found);
      return await viewOf(await find(actor, params), { store, now: now() });
    },
  );

  app.post(
    "/api/integrations/probe",
    { config: { role: "editor", scopes: SCOPES } },
    async ({ actor, body }): Promise<ProbeView> => {
      const { accountId } = actor;
      const input = readInput(probeInputSchema, body);
      const stored = input.id === undefined ? null : await find(actor, { id: input.id });
      if (skipsCertificate(input.settings, stored)) requirePerson(actor, SKIP);
      const settings = probeSettingsOf(input, { stored, accountId, sealingKey });
      limit.count(accountId);
      const asked = { v: EVENT_VERSION, accountId, settings };
      const reply = await bus.ask("probe.requested", asked, { timeoutMs: PROBE_TIMEOUT_MS })
        .catch((cause) => {
          throw new HttpError("unavailable", "The test could not run. Try again soon", { cause });
        });
      if (reply === undefined) {
        throw new HttpError(
          "no_answer",
          "The test could not run: the mailer does not answer. Try again soon",
        );
      }
      return reply;
    },
  );
}

function addsFallbacks(current: Integration, { fallbacks = [] }: IntegrationInputData): boolean {
  return fallbacks.some((id) => !current.fallbacks.includes(id));
}

function onlyOwners(path: "host" | "fallbacks"): HttpError {
  const issues = [{ path, message: "requires the owner role" }];
  return new HttpError(
    "not_allowed",
    "Requires the owner role to change the servers that get the mail of an integration",
    {
      issues,
    },
  );
}

function missing(): HttpError {
  return new HttpError("not_found", "There is no such integration");
}

function conflict(): HttpError {
  return new HttpError("conflict", "Someone else changed this integration. Reload the page");
}

function settingsOf(input: IntegrationInputData) {
  const { user: _u, authMethod: _m, password: _p, oauth: _o, ...settings } = input;
  return settings;
}

/** Turns the store's error into one of the interface. */
async function changing<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof NameTakenError) {
      throw new HttpError("name_taken", "Another integration has this name", {
        issues: [{ path: "name", message: "is used by another integration" }],
      });
    }
    if (error instanceof RevisionConflictError) throw conflict();
    throw error;
  }
}
