import type { Dkim, Integration } from "@posthaste/contracts";
import { INTEGRATION_DKIM_KEY, type SealDkim, sealSecret } from "@posthaste/storage";
import { openSemaphore } from "@posthaste/limits";
import type { FastifyInstance } from "fastify";
import type { Routing } from "../routing.ts";
import { audit } from "../audit.ts";
import type { Actor } from "../actor.ts";
import { checkRecord, dkimRecord, type FindTxt, findTxt, newDkimPair } from "../dkim_record.ts";
import { dkimInputSchema, dkimSwitchSchema, integrationIdSchema } from "../integration_input.ts";
import { viewOf } from "../integration_views.ts";
import type { DnsCheck, IntegrationView } from "../interface/integrations.ts";
import { HttpError } from "../http_error.ts";
import { openProbeLimit } from "../probe_limit.ts";
import { readInput } from "../read_input.ts";
import { requireIntegration } from "../token_limits.ts";

const EDITOR = { config: { role: "editor", scopes: ["manage:integrations"] } } as const;

/** Adds the routes of DKIM keys: creating, checking in the DNS, switching on and off. */
export function dkimRoutes(
  app: FastifyInstance,
  { deps }: Routing,
  find: FindTxt = findTxt,
): void {
  const { store, sealingKey: key, now } = deps;
  const limit = openProbeLimit({ what: "new keys" });
  const checks = openProbeLimit({ what: "checks of records" });
  // A key pair takes a core for a fraction of a second: passwords of all accounts are hashed on the same threads.
  const making = openSemaphore({ max: 1 });

  async function newPair(accountId: string) {
    limit.count(accountId);
    using _permit = await making.acquire(accountId);
    return await newDkimPair();
  }

  async function findOne(actor: Actor, params: unknown): Promise<Integration> {
    const { id } = readInput(integrationIdSchema, params);
    const found = await store.integrations.find(actor.accountId, id);
    if (found === null || found.archivedAt !== null) {
      throw new HttpError("not_found", "There is no such integration");
    }
    requireIntegration(actor, id);
    return found;
  }

  async function change(
    actor: Actor,
    { id, name }: Integration,
    { dkim, action }: { dkim: SealDkim | null; action: string },
  ): Promise<IntegrationView> {
    const changed = await store.integrations.update(actor.accountId, id, { dkim });
    if (changed === null) throw new HttpError("not_found", "There is no such integration");
    const details = changed.dkim === null
      ? { name }
      : { name, domain: changed.dkim.domain, selector: changed.dkim.selector };
    const target = `integration ${id}`;
    await audit({ ...store, now }, actor, { action: `integration.${action}`, target, details });
    return await viewOf(changed, { store, now: now() });
  }

  app.post("/api/integrations/:id/dkim", EDITOR, async (request) => {
    const { actor, params, body } = request;
    const { accountId } = actor;
    const found = await findOne(actor, params);
    const { domain, selector } = readInput(dkimInputSchema, body);
    const { privateKey, publicKey } = await newPair(accountId);
    // Signed mail without the record is worse than unsigned mail: signing is switched on
    // afterwards.
    const dkim = (recordId: string): Dkim => ({
      ...{ domain, selector, publicKey, enabled: false },
      privateKey: sealSecret(privateKey, {
        ...{ key, accountId, recordId, field: INTEGRATION_DKIM_KEY },
      }),
    });
    return await change(actor, found, { dkim, action: "dkim_made" });
  });

  app.put("/api/integrations/:id/dkim", EDITOR, async (request) => {
    const { actor, params, body } = request;
    const found = await findOne(actor, params);
    const { enabled } = readInput(dkimSwitchSchema, body);
    const dkim: SealDkim = (_recordId, current) => {
      if (current === null) throw noKey();
      return { ...current, enabled };
    };
    return await change(actor, found, { dkim, action: enabled ? "dkim_on" : "dkim_off" });
  });

  app.delete("/api/integrations/:id/dkim", EDITOR, async (request) => {
    const { actor, params } = request;
    const found = await findOne(actor, params);
    return await change(actor, found, { dkim: null, action: "dkim_removed" });
  });

  app.post(
    "/api/integrations/:id/dkim/check",
    EDITOR,
    async ({ actor, params }): Promise<DnsCheck> => {
      const { dkim } = await findOne(actor, params);
      if (dkim === null) throw noKey();
      checks.count(actor.accountId);
      return await checkRecord(dkimRecord(dkim), find);
    },
  );
}

function noKey(): HttpError {
  return new HttpError("not_found", "There is no key yet. Create one first");
}
