import { randomBytes } from "node:crypto";
import { EVENT_VERSION, newId, webhookSettingsSchema } from "@posthaste/contracts";
import {
  NameTakenError,
  sealSecret,
  TooManyWebhooksError,
  WEBHOOK_SECRET,
} from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import type { Actor } from "../actor.ts";
import type { Routing } from "../routing.ts";
import { audit } from "../audit.ts";
import type { NewWebhookView, WebhookTestView, WebhookView } from "../interface/webhooks.ts";
import { openProbeLimit } from "../probe_limit.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { requireWholeAccount } from "../token_limits.ts";
import {
  enablingSchema,
  rotationSchema,
  webhookChangeSchema,
  webhookIdSchema,
} from "../webhook_input.ts";
import { webhookViewOf } from "../webhook_views.ts";
import { webhookDeliveryRoutes } from "./webhook_deliveries.ts";

const scopes = ["manage:webhooks"] as const;
const VIEWER = { config: { role: "viewer", scopes } } as const;
const EDITOR = { config: { role: "editor", scopes } } as const;
const OWNER = { config: { role: "owner", scopes } } as const;

/** Longer than the longest request to an endpoint. */
const TEST_TIMEOUT_MS = 25_000;
const HOUR_MS = 3_600_000;

/**
 * Adds the routes of an account's webhook endpoints: creating, changing, testing, stopping and
 * removing them.
 */
export function webhookRoutes(app: FastifyInstance, routing: Routing): void {
  const { store, bus, webhookSealingKey, now } = routing.deps;
  const limit = openProbeLimit();

  const newest = async (accountId: string) => (await store.events.bounds(accountId)).newest;

  async function view(actor: Actor, id: string): Promise<WebhookView> {
    requireWholeAccount(actor);
    const { accountId } = actor;
    const found = await store.webhooks.find(accountId, id);
    if (found === null) throw missing();
    return webhookViewOf(found, await newest(accountId));
  }

  const note = (
    actor: Actor,
    action: string,
    { id, url }: Pick<WebhookView, "id" | "url">,
    details: Record<string, string> = {},
  ) =>
    audit({ ...store, now }, actor, {
      ...{ action: `webhook.${action}`, target: `webhook ${id}` },
      details: { host: new URL(url).host, ...details },
    });

  /** Generates a secret, and seals it for the service that opens it. */
  function newSecret(accountId: string, recordId: string) {
    if (webhookSealingKey === undefined) throw notSetUp();
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    const binding = { accountId, recordId, field: WEBHOOK_SECRET };
    return { secret, sealed: sealSecret(secret, { ...binding, key: webhookSealingKey }) };
  }

  app.get("/api/webhooks", VIEWER, async ({ actor }) => {
    requireWholeAccount(actor);
    const { accountId } = actor;
    const [found, last] = await Promise.all([
      store.webhooks.list(accountId),
      newest(accountId),
    ]);
    return found.map((webhook): WebhookView => webhookViewOf(webhook, last));
  });

  app.post(
    "/api/webhooks",
    EDITOR,
    async ({ actor, body }): Promise<NewWebhookView> => {
      requireWholeAccount(actor);
      const { accountId } = actor;
      const settings = readInput(webhookSettingsSchema, body);
      const _id = newId("whk", now());
      const { secret, sealed } = newSecret(accountId, _id);
      const created = await changing(() =>
        store.webhooks.create({ ...settings, _id, accountId, secret: sealed, at: now() })
      );
      const webhook = webhookViewOf(created, created.position);
      await note(actor, "created", webhook);
      return { webhook, secret };
    },
  );

  app.get(
    "/api/webhooks/:id",
    VIEWER,
    async ({ actor, params }): Promise<WebhookView> =>
      await view(actor, readInput(webhookIdSchema, params).id),
  );

  app.patch(
    "/api/webhooks/:id",
    EDITOR,
    async ({ actor, params, body }): Promise<WebhookView> => {
      const before = await view(actor, readInput(webhookIdSchema, params).id);
      const changes = Object.fromEntries(
        Object.entries(readInput(webhookChangeSchema, body)).filter(([, value]) =>
          value !== undefined
        ),
      );
      const at = now();
      const [from, to] = [before, { ...before, ...changes }].map(({ url }) =>
        new URL(url).host
      ) as [string, string];
      const moved = from === to ? {} : { movedAt: at };
      await changing(() =>
        store.webhooks.update(actor.accountId, before.id, { ...changes, ...moved, at })
      );
      const after = await view(actor, before.id);
      await note(actor, "updated", after, from === to ? {} : { from, to });
      return after;
    },
  );

  app.delete("/api/webhooks/:id", OWNER, async (request) => {
    const found = await view(request.actor, readInput(webhookIdSchema, request.params).id);
    await store.webhooks.remove(request.actor.accountId, found.id);
    await note(request.actor, "removed", found);
    return {};
  });

  app.post(
    "/api/webhooks/:id/rotate-secret",
    EDITOR,
    async ({ actor, params, body }): Promise<NewWebhookView> => {
      const { accountId } = actor;
      const { id } = await view(actor, readInput(webhookIdSchema, params).id);
      const { overlapHours } = readInput(rotationSchema, body ?? {});
      const { secret, sealed } = newSecret(accountId, id);
      const until = new Date(now().getTime() + overlapHours * HOUR_MS);
      await store.webhooks.rotateSecret(accountId, id, { sealed, until, at: now() });
      const webhook = await view(actor, id);
      await note(actor, "secret_rotated", webhook, { overlap: `${overlapHours} h` });
      return { webhook, secret };
    },
  );

  app.post(
    "/api/webhooks/:id/enable",
    EDITOR,
    async ({ actor, params, body }): Promise<WebhookView> => {
      const { accountId } = actor;
      const { id } = await view(actor, readInput(webhookIdSchema, params).id);
      const { skip } = readInput(enablingSchema, body ?? {});
      const position = skip ? await newest(accountId) : undefined;
      await store.webhooks.enable(accountId, id, { at: now(), position });
      const enabled = await view(actor, id);
      await note(actor, "enabled", enabled, skip ? { skipped: "yes" } : {});
      return enabled;
    },
  );

  app.post(
    "/api/webhooks/:id/disable",
    EDITOR,
    async ({ actor, params }): Promise<WebhookView> => {
      const { id } = await view(actor, readInput(webhookIdSchema, params).id);
      const reason = `Disabled by ${actor.name}`;
      await store.webhooks.disable(actor.accountId, id, {
        at: now(),
        by: "person",
        reason,
      });
      const disabled = await view(actor, id);
      await note(actor, "disabled", disabled);
      return disabled;
    },
  );

  app.post(
    "/api/webhooks/:id/test",
    EDITOR,
    async ({ actor, params }): Promise<WebhookTestView> => {
      const { accountId } = actor;
      const { id: webhookId } = await view(actor, readInput(webhookIdSchema, params).id);
      limit.count(accountId);
      const asked = { v: EVENT_VERSION, accountId, webhookId };
      const reply = await bus.ask("webhook.requested", asked, { timeoutMs: TEST_TIMEOUT_MS })
        .catch((cause) => {
          throw new HttpError("unavailable", "The test could not run. Try again soon", { cause });
        });
      if (reply !== undefined) return reply;
      const reason = "the webhooks service does not answer";
      throw new HttpError("no_answer", `The test could not run: ${reason}. Try again soon`);
    },
  );

  webhookDeliveryRoutes(app, routing);
}

function missing(): HttpError {
  return new HttpError("not_found", "There is no such webhook");
}

function notSetUp(): HttpError {
  const reason = "the operator has not set WEBHOOK_SEALING_KEY";
  return new HttpError("unavailable", `Webhooks are not set up here: ${reason}`);
}

/** Turns the store's error into one of the interface. */
async function changing<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof NameTakenError) {
      const issues = [{ path: "url", message: "is used by another webhook" }];
      throw new HttpError("name_taken", "Another webhook has this URL", { issues });
    }
    if (error instanceof TooManyWebhooksError) {
      throw new HttpError("invalid_request", `Cannot add a webhook: ${error.message}`);
    }
    throw error;
  }
}
