import { FEED_QUERY, type FeedEventType, type FeedPageAnswer } from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import { HttpError } from "../http_error.ts";
import type { FeedPage, RecordedEvent, StorePart } from "@posthaste/storage";
import type { FastifyInstance, onRequestAsyncHookHandler, onRequestHookHandler } from "fastify";
import { z } from "zod";
import { requireScope } from "../authenticate.ts";
import { httpErrorOf } from "../fault.ts";
import type { FeedWaiters } from "../feed_waiters.ts";
import { cursorOf, digestOf, positionIn } from "../read_list.ts";
import type { RequestStore } from "../request_store.ts";
import { SEARCH_MS } from "./message_list.ts";

/** What reading events needs. */
export interface EventsDeps extends StorePart<"events.bounds" | "events.list"> {
  waiters: Pick<FeedWaiters, "wait">;
  /** Counts a request as a search; `undefined` without a limit. */
  limitSearch: onRequestHookHandler | undefined;
  /** Checks the token of a request again. */
  authenticate: onRequestAsyncHookHandler;
}

const QUERY = z.strictObject(FEED_QUERY);
const ACTION = "read the events";

/** The most queries that one request makes in a row if its types match nothing. */
const MAX_LOOKS = 10;

/** Adds `GET /events`: reads events, oldest first, and waits for more. */
export function eventsRoute(app: FastifyInstance, deps: EventsDeps): void {
  app.get(
    "/events",
    { onRequest: [...limitTypes(deps), requireScope("list")] },
    async (request, reply): Promise<FeedPageAnswer> => {
      const { caller: { _id: tokenId, accountId }, query, store } = request;
      const { after, types, limit, wait } = queryOf(query);
      const digest = digestOf(["events", accountId]);
      store.allow(SEARCH_MS);
      const start = await startOf({ accountId, after, digest }, { store, ...deps });
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const { events, next } = await readFeed({ accountId, types, limit }, {
        ...{ start, tokenId, wait, store, signal: gone.signal },
        ...deps,
      });
      // The token may have been revoked meanwhile.
      if (wait > 0) await deps.authenticate.call(app, request, reply);
      return { data: events.map(showEvent), next: cursorOf(digest, String(next)) };
    },
  );
}

/** Some types may be found only after thousands of other events: their search is limited like any other. */
function limitTypes({ limitSearch }: Pick<EventsDeps, "limitSearch">): onRequestHookHandler[] {
  if (limitSearch === undefined) return [];
  return [function (request, reply, done) {
    const { types } = request.query as Record<string, unknown>;
    if (types === undefined || /^,*$/.test(String(types))) done();
    else limitSearch.call(this, request, reply, done);
  }];
}

function queryOf(query: unknown) {
  const { data, error } = QUERY.safeParse(query, BODY_PARSING);
  if (error !== undefined) throw httpErrorOf(ACTION, bodyIssues(error));
  const { types, ...rest } = data;
  const named = types?.split(",").filter((type) => type !== "") as FeedEventType[] | undefined;
  return { ...rest, types: named === undefined || named.length === 0 ? undefined : named };
}

/**
 * Returns the sequence number after which to read.
 *
 * @throws {HttpError} `events_expired` if the following event is not kept any more, or never
 * existed.
 */
async function startOf(
  { accountId, after, digest }: { accountId: string; after: string | undefined; digest: string },
  { store, events }: StorePart<"events.bounds"> & { store: RequestStore },
): Promise<number> {
  const isNamed = after !== undefined && after !== "latest";
  const given = isNamed ? Number(positionIn(after, { digest, name: "events" })) : 0;
  const { oldest, newest } = await store.wait(ACTION, () => events.bounds(accountId));
  if (after === "latest") return newest;
  if (!isNamed) return Math.max(0, oldest - 1);
  if (given >= oldest - 1 && given <= newest) return given;
  const reason = "events after this cursor are not kept any more: begin without a cursor";
  throw new HttpError("events_expired", `Cannot ${ACTION}: ${reason}`);
}

interface Reading extends Omit<EventsDeps, "limitSearch" | "authenticate"> {
  start: number;
  tokenId: string;
  /** Longest wait, in seconds. */
  wait: number;
  store: RequestStore;
  /** Aborts when the caller has gone. */
  signal: AbortSignal;
}

async function readFeed(
  { accountId, types, limit }: {
    accountId: string;
    types: FeedEventType[] | undefined;
    limit: number;
  },
  { start, tokenId, wait, store, signal, events, waiters }: Reading,
): Promise<FeedPage> {
  const until = performance.now() + wait * 1000;
  let after = start;
  for (let looks = 1;; looks++) {
    const part = { after, types, limit };
    const page = await store.wait(ACTION, () => events.list(accountId, part));
    const leftMs = until - performance.now();
    if (page.events.length > 0 || signal.aborted) return page;
    const isAtEnd = page.next === after;
    after = page.next;
    if (!isAtEnd && looks < MAX_LOOKS) continue;
    if (!isAtEnd || leftMs <= 0) return page;
    looks = 0;
    if (!await waiters.wait({ accountId, tokenId, after, forMs: leftMs, signal })) return page;
  }
}

/** Returns an event as the interface shows it. */
function showEvent({ _id: id, type, at, sequence, data }: RecordedEvent) {
  return { id, type, timestamp: at.toISOString(), sequence, data };
}
