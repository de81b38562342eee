import { MAX_REPLAY, type Webhook } from "@posthaste/contracts";
import type { DeliveryPlace } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import type { Actor } from "../actor.ts";
import type { Routing } from "../routing.ts";
import { audit } from "../audit.ts";
import type {
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookReplayed,
} from "../interface/webhooks.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { requirePerson, requireWholeAccount } from "../token_limits.ts";
import {
  deliveryIdSchema,
  deliveryQuerySchema,
  placeIn,
  replaySchema,
  webhookIdSchema,
} from "../webhook_input.ts";
import { deliveryViewOf } from "../webhook_views.ts";

const scopes = ["manage:webhooks"] as const;
const VIEWER = { config: { role: "viewer", scopes } } as const;
const EDITOR = { config: { role: "editor", scopes } } as const;

const PAGE = 50;

/** Adds the routes of webhook deliveries: listing them, and delivering events again. */
export function webhookDeliveryRoutes(app: FastifyInstance, { deps }: Routing): void {
  const { store, now } = deps;

  async function findWebhook(actor: Actor, params: unknown): Promise<Webhook> {
    requireWholeAccount(actor);
    const { id } = readInput(webhookIdSchema, params);
    const found = await store.webhooks.find(actor.accountId, id);
    if (found !== null) return found;
    throw new HttpError("not_found", "There is no such webhook");
  }

  const find = async (actor: Actor, params: unknown) => (await findWebhook(actor, params))._id;

  /**
   * Refuses a token to post to another host what the endpoint's earlier one got: with a stolen token, all
   * recipients of the last weeks could be read so.
   */
  function requireSameHost(actor: Actor, { movedAt }: Webhook, since: Date): void {
    if (movedAt === undefined || since >= movedAt) return;
    requirePerson(actor, "repeat deliveries from before the URL got another host");
  }

  async function noteReplay(actor: Actor, id: string, details: Record<string, string>) {
    const action = "webhook.replayed";
    await audit({ ...store, now }, actor, { action, target: `webhook ${id}`, details });
  }

  app.get(
    "/api/webhooks/:id/deliveries",
    VIEWER,
    async ({ actor, params, query }): Promise<WebhookDeliveryList> => {
      const id = await find(actor, params);
      const { state, before } = readInput(deliveryQuerySchema, query);
      const found = await store.webhooks.listDeliveries(actor.accountId, id, {
        ...{ state, limit: PAGE + 1 },
        ...(before === undefined ? {} : { before: placeIn(before) }),
      });
      const rows = found.slice(0, PAGE);
      const last = found.length > PAGE ? rows.at(-1) : undefined;
      return {
        rows: rows.map(deliveryViewOf),
        next: last === undefined ? null : textOf(last),
      };
    },
  );

  app.get(
    "/api/webhooks/:id/deliveries/:eventId",
    VIEWER,
    async ({ actor, params }): Promise<WebhookDeliveryDetail> => {
      const { accountId } = actor;
      const id = await find(actor, params);
      const { eventId } = readInput(deliveryIdSchema, params);
      const found = await store.webhooks.findDelivery(accountId, id, eventId);
      if (found === null) throw missing();
      const event = await store.events.find(accountId, eventId);
      // Without the recipient's address, which is read when the event is posted.
      const body = event && JSON.stringify(
        {
          ...{ id: event._id, type: event.type, timestamp: event.at, sequence: event.sequence },
          data: event.data,
        },
        null,
        2,
      );
      return { ...deliveryViewOf(found), body };
    },
  );

  app.post(
    "/api/webhooks/:id/deliveries/:eventId/replay",
    EDITOR,
    async ({ actor, params }): Promise<{ queued: number }> => {
      const webhook = await findWebhook(actor, params);
      const { eventId } = readInput(deliveryIdSchema, params);
      const { _id: id } = webhook;
      const delivery = await store.webhooks.findDelivery(actor.accountId, id, eventId);
      if (delivery === null) throw missing();
      requireSameHost(actor, webhook, delivery.at);
      const { queued } = await store.webhooks.replayDeliveries(
        actor.accountId,
        id,
        { eventId },
        now(),
      );
      if (queued === 0) throw missing();
      await noteReplay(actor, id, { event: eventId });
      return { queued };
    },
  );

  app.post(
    "/api/webhooks/:id/replay",
    EDITOR,
    async ({ actor, params, body }): Promise<WebhookReplayed> => {
      const webhook = await findWebhook(actor, params);
      const which = { ...readInput(replaySchema, body), limit: MAX_REPLAY };
      const since = which.from instanceof Date ? which.from : which.from.at;
      requireSameHost(actor, webhook, since);
      const { _id: id, accountId } = webhook;
      const { queued, next } = await store.webhooks.replayDeliveries(accountId, id, which, now());
      await noteReplay(actor, id, {
        ...{ since: since.toISOString(), until: which.until.toISOString() },
        queued: String(queued),
      });
      return { queued, next: next && textOf(next) };
    },
  );
}

function textOf({ at, _id }: DeliveryPlace): string {
  return `${at.getTime()}~${_id}`;
}

function missing(): HttpError {
  return new HttpError("not_found", "There is no such delivery");
}
