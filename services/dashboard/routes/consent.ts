import {
  CONSENT_GRANT,
  type ConsentGrant,
  consentGrantSchema,
  type ConsentReply,
  EVENT_VERSION,
  type Integration,
} from "@posthaste/contracts";
import { RevisionConflictError, sealSecret } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import type { Actor } from "../actor.ts";
import { audit } from "../audit.ts";
import { HttpError } from "../http_error.ts";
import { integrationIdSchema } from "../integration_input.ts";
import { viewOf } from "../integration_views.ts";
import type { IntegrationView } from "../interface/integrations.ts";
import { openProbeLimit } from "../probe_limit.ts";
import { readInput } from "../read_input.ts";
import type { Routing } from "../routing.ts";

/** Longer than a request to a provider with its wait. */
const EXCHANGE_TIMEOUT_MS = 25_000;

type Consented = Extract<ConsentReply, { ok: true }>;

/**
 * Adds the route that ends a consent: the mailer exchanges the code, and the refresh token is stored as it
 * answers, sealed. Only people consent, so programs have no such route.
 */
export function consentRoutes(app: FastifyInstance, { deps }: Routing): void {
  const { store, bus, sealingKey: key, now } = deps;
  const limit = openProbeLimit();

  async function find({ accountId }: Actor, params: unknown): Promise<Integration> {
    const { id } = readInput(integrationIdSchema, params);
    const found = await store.integrations.find(accountId, id);
    if (found === null || found.archivedAt !== null) throw missing();
    if (found.auth?.kind === "oauthRefreshToken") return found;
    throw new HttpError("invalid_request", "The integration has no login by consent");
  }

  async function exchange(
    { _id: recordId, accountId, id: integrationId }: Integration,
    given: ConsentGrant,
  ): Promise<Consented> {
    const grant = sealSecret(JSON.stringify(given), {
      ...{ accountId, recordId, field: CONSENT_GRANT, key },
    });
    const asked = { v: EVENT_VERSION, accountId, integrationId, grant };
    const reply = await bus.ask("consent.requested", asked, { timeoutMs: EXCHANGE_TIMEOUT_MS })
      .catch((cause) => {
        throw new HttpError("unavailable", "Cannot end the consent now. Try again soon", { cause });
      });
    if (reply === undefined) {
      throw new HttpError(
        "no_answer",
        "The mailer does not answer. Give consent again in a moment",
      );
    }
    if (reply.ok) return reply;
    throw new HttpError("invalid_request", `${reply.reason}. ${reply.remedy}`);
  }

  async function keep(
    { accountId, id }: Integration,
    { refreshToken, revision }: Consented,
    { name: by }: Actor,
  ): Promise<Integration> {
    try {
      const changed = await store.integrations.update(accountId, id, {
        revision,
        auth: (_recordId, current) => {
          if (current?.kind !== "oauthRefreshToken") throw changedMeanwhile();
          return { ...current, refreshToken, consent: { by, at: now() } };
        },
      });
      if (changed === null) throw missing();
      return changed;
    } catch (error) {
      throw error instanceof RevisionConflictError ? changedMeanwhile() : error;
    }
  }

  app.post(
    "/api/integrations/:id/consent",
    { config: { role: "editor" } },
    async ({ actor, params, body }): Promise<IntegrationView> => {
      const found = await find(actor, params);
      const given = readInput(consentGrantSchema, body);
      limit.count(actor.accountId);
      const kept = await keep(found, await exchange(found, given), actor);
      await audit({ ...store, now }, actor, {
        action: "integration.connected",
        target: `integration ${kept.id}`,
        details: { name: kept.name },
      });
      return await viewOf(kept, { store, now: now() });
    },
  );
}

function missing(): HttpError {
  return new HttpError("not_found", "There is no such integration");
}

function changedMeanwhile(): HttpError {
  return new HttpError(
    "conflict",
    "The integration was changed meanwhile. Give consent again",
  );
}
