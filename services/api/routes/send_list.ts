import { type ListPage, SEND_LIST_FILTERS } from "@posthaste/contracts";
import type { FoundSendHead, SendFilter, StorePart } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import type { KnownTo } from "../known_to.ts";
import { listReader, searchedPage } from "../read_list.ts";
import { SEARCH_MS } from "./message_list.ts";

const readList = listReader("sends", SEND_LIST_FILTERS);
const ACTION = "list the sends";

/** Adds `GET /sends`: finds sends of the account, newest first. */
export function sendListRoute(
  app: FastifyInstance,
  { sends: stored }: StorePart<"sends.search">,
): void {
  app.get(
    "/sends",
    { onRequest: requireScope("list") },
    async ({ caller: { accountId }, query, store }): Promise<ListPage<unknown>> => {
      const { filters, limit, after, cursorAfter } = readList(accountId, query);
      const page = { limit, before: after, forMs: SEARCH_MS };
      const { settled, ...rest } = filters;
      const sameName: KnownTo<SendFilter, typeof rest> = rest;
      const isSettled = settled === undefined ? undefined : settled === "true";
      store.allow(SEARCH_MS);
      const { sends, next, isCut } = await store.wait(
        ACTION,
        () => stored.search(accountId, { ...sameName, isSettled }, page),
      );
      return searchedPage(sends.map(show), { next, isCut, cursorAfter });
    },
  );
}

function show({ _id: id, settledAt, batchId, ...send }: FoundSendHead) {
  return { id, ...send, batchId: batchId ?? null, settled: settledAt !== null, settledAt };
}
