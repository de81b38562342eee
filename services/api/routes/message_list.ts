import { type ListPage, MESSAGE_FILTERS } from "@posthaste/contracts";
import type { MessageFilter, StorePart } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import type { z } from "zod";
import type { KnownTo } from "../known_to.ts";
import { requireScope } from "../authenticate.ts";
import { listReader, searchedPage } from "../read_list.ts";
import { showFound } from "../show_message.ts";

/** The longest search, in milliseconds. */
export const SEARCH_MS = 2000;

const readList = listReader("messages", MESSAGE_FILTERS);
const ACTION = "list the messages";

/** Adds `GET /messages`: finds messages of the account, newest first. */
export function messageListRoute(
  app: FastifyInstance,
  { messages: stored }: StorePart<
    "messages.findPlaces" | "messages.labelsOfFound" | "messages.search"
  >,
): void {
  app.get(
    "/messages",
    { onRequest: requireScope("list") },
    async ({ caller: { accountId }, query, store }): Promise<ListPage<unknown>> => {
      const { filters, limit, after, cursorAfter } = readList(accountId, query);
      const page = { limit, before: after, forMs: SEARCH_MS };
      store.allow(SEARCH_MS);
      return await store.wait(ACTION, async () => {
        const found = await stored.search(accountId, filterOf(filters), page);
        const { messages, next, isCut } = found;
        const [labels, places] = await Promise.all([
          stored.labelsOfFound(accountId, messages),
          stored.findPlaces(accountId, messages),
        ]);
        const data = messages.map((message) => {
          const { _id: id } = message;
          return showFound(message, { place: places.get(id), labels: labels.get(id) });
        });
        return searchedPage(data, { next, isCut, cursorAfter });
      });
    },
  );
}

function filterOf(query: z.infer<z.ZodObject<typeof MESSAGE_FILTERS>>): MessageFilter {
  const { state, email, reason, code, enhanced, ...rest } = query;
  const sameName: KnownTo<MessageFilter, typeof rest> = rest;
  return {
    ...sameName,
    states: state,
    email: email === undefined ? undefined : emailOf(email),
    because: { reason, code, enhanced },
  };
}

function emailOf(given: string): MessageFilter["email"] {
  const isPrefix = given.endsWith("*");
  return { text: isPrefix ? given.slice(0, -1) : given, isPrefix };
}
