import {
  isSendId,
  localeOf,
  type Message,
  parseMessageId,
  type Send,
  variantFor,
} from "@posthaste/contracts";
import { bulkRetry, ContentRemovedError } from "@posthaste/storage";
import { IMAGE_HEADERS } from "@posthaste/http";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Routing } from "../routing.ts";
import type { Principal } from "../session.ts";
import { audit } from "../audit.ts";
import type {
  BulkRetried,
  ContentView,
  MessageList,
  MessageOptions,
  MessageView,
  SendView,
} from "../interface/messages.ts";
import { mailContent, mailPdf } from "@posthaste/messaging";
import { madeAgain } from "../message_content.ts";
import { readMessageQuery } from "../message_filter.ts";
import { messageViewOf, rowsOf, traceIdOf } from "../message_view.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { mailImage } from "../mail_image.ts";

const PAGE = 50;

const bulkSchema = z.strictObject({
  state: z.enum(["failed", "unknown", "deferred"]),
  reason: z.string().nullable(),
  code: z.int().nullable(),
  enhanced: z.string().nullable(),
  send: z.string().max(100).optional(),
  from: z.iso.datetime().transform((text) => new Date(text)).optional(),
});

type WithId = { Params: { id: string } };

/** Adds the routes of messages and sends: finding, viewing, retrying and canceling them. */
export function messageRoutes(app: FastifyInstance, { deps }: Routing): void {
  const { store, now } = deps;

  /** Records who read a mail: its content is private. */
  async function noteReading(
    principal: Principal,
    id: string,
    details: Record<string, string | number> = {},
  ): Promise<void> {
    await audit({ ...store, now }, principal, {
      ...{ action: "message.read", target: `message ${id}`, details },
    });
  }

  /** Returns the tag of the language variant that a message has; null for the template's own body. */
  async function variantOf(
    { accountId, template: { id, version }, request }: Send,
    index: number,
  ): Promise<string | null> {
    const locale = localeOf(request, request.to[index]);
    if (locale === undefined) return null;
    const found = await store.templates.findVersion(accountId, "email", id, version);
    return found === null ? null : variantFor(found, locale);
  }

  /** Returns the names of the PDF templates of a message, by id. */
  async function pdfNamesOf(
    { accountId, request }: Send,
    index: number,
  ): Promise<Map<number, string>> {
    const ids = new Set(request.to[index]?.attachments?.map(({ id }) => id));
    const found = await Promise.all(
      [...ids].map((id) => store.templates.find(accountId, "pdf", id)),
    );
    return new Map(found.flatMap((template) => template ? [[template.id, template.name]] : []));
  }

  app.get(
    "/api/messages",
    { config: { role: "viewer" } },
    async ({ principal, query }): Promise<MessageList> => {
      const { filter, before } = readMessageQuery(query);
      const { accountId } = principal;
      const found = await store.messages.search(accountId, filter, { limit: PAGE, before });
      const { messages, next, isCut } = found;
      return { rows: await rowsOf(accountId, messages, store), next, isCut };
    },
  );

  app.get(
    "/api/messages/options",
    { config: { role: "viewer" } },
    async ({ principal: { accountId } }): Promise<MessageOptions> => {
      const [templates, integrations] = await Promise.all([
        store.templates.list(accountId, "email"),
        store.integrations.list(accountId),
      ]);
      const named = ({ id, name }: { id: number; name: string }) => ({ id, name });
      return { templates: templates.map(named), integrations: integrations.map(named) };
    },
  );

  app.get<WithId>(
    "/api/messages/:id",
    { config: { role: "viewer" } },
    async ({ principal, params: { id } }) => view(principal.accountId, id),
  );

  app.get<WithId>(
    "/api/messages/:id/content",
    { config: { role: "viewer" } },
    async ({ principal, params: { id } }): Promise<ContentView> => {
      const { message, send } = await find(principal.accountId, id);
      await noteReading(principal, id);
      return await madeAgain(mailContent(send, message.index, deps));
    },
  );

  app.get<{ Params: { id: string; n: string } }>(
    "/api/messages/:id/pdfs/:n",
    { config: { role: "viewer" } },
    async ({ principal, params: { id, n } }, reply) => {
      const { message, send } = await find(principal.accountId, id);
      const place = { index: message.index, position: Number(n) };
      await noteReading(principal, id, { pdf: Number(n) + 1 });
      const { filename, bytes } = await madeAgain(mailPdf(send, place, deps));
      const name = encodeURIComponent(filename);
      return reply.type("application/pdf")
        .header("content-disposition", `inline; filename*=UTF-8''${name}`)
        .send(Buffer.from(bytes));
    },
  );

  app.get<{ Params: { id: string; contentId: string } }>(
    "/api/messages/:id/images/:contentId",
    { config: { role: "viewer" } },
    async ({ principal, params: { id, contentId } }, reply) => {
      const { message, send } = await find(principal.accountId, id);
      const image = await madeAgain(mailImage({ send, index: message.index, contentId }, store));
      await noteReading(principal, id, { image: contentId });
      return reply.headers(IMAGE_HEADERS).type(image.contentType).send(Buffer.from(image.bytes));
    },
  );

  app.post<WithId>(
    "/api/messages/:id/retry",
    { config: { role: "editor" } },
    async ({ principal, params: { id } }) => {
      const { message } = await find(principal.accountId, id);
      if (await retry(principal.accountId, id) === null) {
        throw new HttpError("conflict", `Cannot send the message again: it is ${message.state}`);
      }
      await audit({ ...store, now }, principal, {
        action: "message.retried",
        target: `message ${id}`,
      });
      return view(principal.accountId, id);
    },
  );

  app.post<WithId>(
    "/api/messages/:id/cancel",
    { config: { role: "editor" } },
    async ({ principal, params: { id } }) => {
      const { message } = await find(principal.accountId, id);
      if (await store.messages.cancel(principal.accountId, id, now()) === null) {
        throw new HttpError("conflict", `Cannot cancel the message: it is ${message.state}`);
      }
      await audit({ ...store, now }, principal, {
        action: "message.canceled",
        target: `message ${id}`,
      });
      return view(principal.accountId, id);
    },
  );

  app.post(
    "/api/messages/retry",
    { config: { role: "editor" } },
    async ({ principal, body }): Promise<BulkRetried> => {
      const { state, send, from, ...because } = readInput(bulkSchema, body);
      const filter = { states: [state], sendId: send, from, because };
      const done = await bulkRetry(principal.accountId, filter, { messages: store.messages, now });
      await audit({ ...store, now }, principal, {
        action: "message.retried",
        target: send === undefined ? "messages with one reason" : `send ${send}`,
        details: { reason: because.reason, messages: done.retried },
      });
      return done;
    },
  );

  app.get<WithId>(
    "/api/sends/:id",
    { config: { role: "viewer" } },
    async ({ principal: { accountId }, params: { id } }): Promise<SendView> => {
      const send = isSendId(id) ? await store.sends.find(accountId, id) : null;
      if (send === null) throw new HttpError("not_found", `There is no send "${id}"`);
      const [states, causes, template, integration] = await Promise.all([
        store.messages.countStates(accountId, [id]),
        store.messages.groupReasons(accountId, {
          states: ["failed", "unknown", "deferred"],
          sendId: id,
        }),
        store.templates.find(accountId, "email", send.template.id),
        store.integrations.find(accountId, send.integrationId),
      ]);
      return {
        ...{ id, acceptedAt: send.acceptedAt.toISOString(), recipients: send.messageCount },
        batchId: send.batchId ?? null,
        template: { ...send.template, name: template?.name ?? null },
        integration: { id: send.integrationId, name: integration?.name ?? null },
        priority: send.priority,
        settledAt: send.settledAt?.toISOString() ?? null,
        traceId: traceIdOf(send.trace),
        contentRemovedAt: send.contentRemovedAt?.toISOString() ?? null,
        states: states.get(id) ?? {},
        causes,
      };
    },
  );

  app.post<WithId>(
    "/api/sends/:id/cancel",
    { config: { role: "editor" } },
    async ({ principal, params: { id } }) => {
      const done = await store.messages.cancelSend(principal.accountId, id, now());
      if (done === null) throw new HttpError("not_found", `There is no send "${id}"`);
      const { canceled } = done;
      const details = { messages: canceled };
      await audit({ ...store, now }, principal, {
        action: "send.canceled",
        target: `send ${id}`,
        details,
      });
      return { canceled };
    },
  );

  async function retry(accountId: string, id: string): Promise<Message | null> {
    try {
      return await store.messages.retry(accountId, id, { now: now() });
    } catch (error) {
      if (error instanceof ContentRemovedError) throw new HttpError("conflict", error.message);
      throw error;
    }
  }

  async function find(accountId: string, id: string): Promise<{ message: Message; send: Send }> {
    const sendId = parseMessageId(id)?.sendId;
    const [message, send] = sendId === undefined ? [null, null] : await Promise.all([
      store.messages.find(accountId, id),
      store.sends.find(accountId, sendId),
    ]);
    if (message && send) return { message, send };
    throw new HttpError("not_found", `There is no message "${id}"`);
  }

  async function view(accountId: string, id: string): Promise<MessageView> {
    const { message, send } = await find(accountId, id);
    const at = now();
    const [template, names, integration, account, places, suppressed, variant] = await Promise.all([
      store.templates.find(accountId, "email", send.template.id),
      pdfNamesOf(send, message.index),
      store.integrations.find(accountId, send.integrationId),
      store.accounts.find(accountId),
      store.messages.findPlaces(accountId, [message]),
      store.suppressions.among(accountId, [message.email], at),
      message.forgottenAt === undefined ? variantOf(send, message.index) : null,
    ]);
    const place = places.get(id);
    const [suppression] = suppressed.values();
    const known = { message, send, template, integration, variant, place, suppression };
    const contentDays = account?.retention.contentDays ?? 0;
    return messageViewOf({ ...known, pdfNames: names, contentDays, now: at });
  }
}
