import {
  isTerminal,
  type Message,
  messageIdOf,
  type MessageState,
  parseMessageId,
  type Send,
} from "@posthaste/contracts";
import type { Db, Filter } from "mongodb";
import { acceptedWithin } from "./_accepted_within.ts";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { BY_ID, messageIdRange, queuedMessage } from "./_message_document.ts";
import { type MessageLabels, messageLabels } from "./_message_labels.ts";
import { isTimeExpired } from "./_time_expired.ts";
import { hasPdfs, type LabelFields, toSend } from "./_stored_send.ts";
import { withRegisters } from "./_with_registers.ts";
import type { DeliveryLedgers } from "./delivery_ledger.ts";
import { matchesFilter, type MessageFilter } from "./message_filter.ts";
import { openSubject } from "./subject_box.ts";

/** States that only few messages are in for long. They have an index. */
export const INDEXED_STATES = [
  "failed",
  "unknown",
  "deferred",
  "canceled",
] as const satisfies MessageState[];

/** The index for messages in these states. */
export const BY_STATE = { accountId: 1, state: 1, _id: -1 } as const;

/** The fields of a found message. */
export type FoundMessage =
  & Pick<
    Message,
    | ("_id" | "sendId" | "index" | "email" | "state" | "attempt" | "acceptedAt")
    | ("finishedAt" | "nextAt" | "waitsFor" | "reason" | "reply" | "copiesRefused")
  >
  & {
    /** Whether its mail has PDFs. */
    hasPdfs: boolean;
    /** The beginning of its subject; null before a mailer had it, and when its content is removed. */
    readonly subject: string | null;
    send: FoundSend;
  };

/** The fields of a found message's send. */
export type FoundSend =
  & Pick<Send, "template" | "integrationId" | "messageCount" | "settledAt">
  & LabelFields;

/** The part of a search to return. */
export interface SearchPage {
  /** The most messages to find. */
  limit: number;
  /** Id of a message: finds only older ones. */
  before?: string | undefined;
  /** How long to search, in milliseconds. @default {2000} */
  forMs?: number | undefined;
}

/** The result of a search. */
export interface SearchResult {
  /** Newest first. */
  messages: FoundMessage[];
  /** The value of `before` to continue; null at the end. */
  next: string | null;
  /** Whether the time ended before the page was full. */
  isCut: boolean;
}

/** Search for messages. One without a document is `queued`. */
export interface MessageSearch extends MessageLabels {
  /** Finds messages of an account, newest first. */
  search(accountId: string, filter: MessageFilter, page: SearchPage): Promise<SearchResult>;
}

const BATCH = 300;
const SENDS_PER_QUERY = 100;
const SEARCH_MS = 2000;

/** The most waiting sends with the address that are read. */
const MAX_WAITING = 200;

/** Returns the search for messages. */
export function messageSearch(
  db: Db,
  ledgers: Pick<DeliveryLedgers, "find">,
): MessageSearch {
  const { messages, sends } = collectionsOf(db);
  const { labelsOfFound } = messageLabels(db);

  /** Yields messages of an address that have no document: their sends are not settled. */
  async function* waiting(accountId: string, filter: MessageFilter, search: Search) {
    const { email, states, from, until } = filter;
    if (email === undefined || !(states?.includes("queued") ?? true)) return;
    const text = email.text.toLowerCase();
    const emails = emailCondition({ ...email, text });
    const first = search.before && parseMessageId(search.before)?.sendId;
    const part = { accountId, from, until, before: first && `${first}~` };
    const heads = await sends.find(acceptedWithin("snd", part, { emails, settledAt: null }))
      .sort({ _id: -1 }).limit(MAX_WAITING).maxTimeMS(search.restMs())
      .project<Head>(HEAD).toArray();
    for (const group of groupsOf(heads)) {
      const lines = await linesOf(accountId, group, { states: ["queued"], search });
      const { before } = search;
      const isWaiting = (state: MessageState) => state === "queued" || state === "scheduled";
      yield lines.filter(({ _id, state }) => isWaiting(state) && (!before || _id < before));
    }
  }

  /** Searches by an index of messages: the few in a state, or those of a recipient. */
  async function* byIndex(accountId: string, filter: MessageFilter, search: Search) {
    const { email, states = [], from, until } = filter;
    // For several states together, the planner chooses slower plans.
    const conditions = email === undefined
      ? states.map((state) => ({ state }))
      : spellingsOf(email).map((text) => ({ email: emailCondition({ ...email, text }) }));
    for (let { before } = search;;) {
      const part = { accountId, from, until, before };
      const found = await Promise.all(
        conditions.map((condition) =>
          messages.find(acceptedWithin("msg", part, condition))
            .sort({ _id: -1 }).limit(BATCH).maxTimeMS(search.restMs()).project<Line>(LINE).toArray()
        ),
      );
      const lines = found.flat().toSorted(newestFirst).slice(0, BATCH);
      const last = lines.at(-1);
      if (last === undefined) return;
      const ids = [...new Set(lines.map(({ sendId }) => sendId))];
      const heads = await sends.find({ _id: { $in: ids }, accountId })
        .maxTimeMS(search.restMs()).project<Head>(HEAD).toArray();
      const byId = new Map(heads.map((head) => [head._id, head]));
      yield { lines: lines.flatMap((line) => joined(line, byId.get(line.sendId))), end: last._id };
      if (lines.length < BATCH) return;
      before = last._id;
    }
  }

  /** Searches through the sends, newest first. */
  async function* bySends(accountId: string, filter: MessageFilter, search: Search) {
    const { sendId, batchId, templateId, integrationId, states, from, until } = filter;
    const isOpen = states?.every((state) => !isTerminal(state)) ?? false;
    const of: Filter<StoredSend> = {
      ...(templateId === undefined ? {} : { "template.id": templateId }),
      ...(integrationId === undefined ? {} : { integrationId }),
      ...labelCondition(filter),
      ...(batchId === undefined ? {} : { batchId }),
      ...(isOpen ? { settledAt: null } : {}),
    };
    const first = search.before && parseMessageId(search.before)?.sendId;
    for (let below = first && `${first}~`;;) {
      const part = { accountId, from, until, before: below };
      const within = acceptedWithin("snd", part, of);
      const filter = sendId ? { $and: [{ _id: sendId }, within] } : within;
      const heads = await sends.find(filter)
        .sort({ _id: -1 }).limit(SENDS_PER_QUERY).maxTimeMS(search.restMs())
        .project<Head>(HEAD).toArray();
      for (const group of groupsOf(heads)) {
        const lines = await linesOf(accountId, group, { states, search });
        const { before } = search;
        const end = messageIdOf(group.at(-1)?._id ?? "", 0);
        yield { lines: before ? lines.filter(({ _id }) => _id < before) : lines, end };
      }
      const last = heads.at(-1);
      if (last === undefined || heads.length < SENDS_PER_QUERY || sendId) return;
      below = last._id;
    }
  }

  /** Finds the documents of some sends' messages: the few in a state that has an index by it, others by id. */
  function documentsOf(accountId: string, heads: Head[], states: MessageFilter["states"]) {
    const ranges = heads.map((head) => messageIdRange(head._id));
    if (states && hasIndex(states)) {
      // For several states together, the planner reads the whole index.
      const $or = states.flatMap((state) => ranges.map((_id) => ({ accountId, state, _id })));
      return messages.find({ $or }).hint(BY_STATE);
    }
    const ofStates = states === undefined ? {} : { state: { $in: [...states] } };
    return messages.find({ accountId, $or: ranges.map((_id) => ({ _id })), ...ofStates })
      .hint(BY_ID);
  }

  async function linesOf(
    accountId: string,
    heads: Head[],
    { states, search }: { states: MessageFilter["states"]; search: Search },
  ): Promise<FoundMessage[]> {
    const withQueued = states?.includes("queued") ?? true;
    const found = await documentsOf(accountId, heads, withQueued ? undefined : states)
      .maxTimeMS(search.restMs()).project<Line>(LINE).toArray();
    const bySend = Map.groupBy(found, ({ sendId }) => sendId);
    const missing = withQueued
      ? heads.filter(({ _id, messageCount }) => (bySend.get(_id)?.length ?? 0) < messageCount)
      : [];
    const queued = await queuedOf(accountId, missing, { bySend, search });
    const byId = new Map(heads.map((head) => [head._id, head]));
    return [...found, ...queued].toSorted(newestFirst)
      .flatMap((line) => joined(line, byId.get(line.sendId)));
  }

  /** Returns the messages of some sends that have no document. */
  async function queuedOf(
    accountId: string,
    heads: Head[],
    { bySend, search }: { bySend: Map<string, Line[]>; search: Search },
  ): Promise<Line[]> {
    if (heads.length === 0) return [];
    const found = await sends.find({ _id: { $in: heads.map(({ _id }) => _id) }, accountId })
      .maxTimeMS(search.restMs()).toArray();
    return found.flatMap((stored) => {
      const send = toSend(stored);
      const known = new Set(bySend.get(send._id)?.map(({ index }) => index));
      return send.request.to.flatMap((_, index) =>
        known.has(index) ? [] : queuedMessage(send, index) ?? []
      );
    });
  }

  /** Returns the messages whose own reference and tags match: their send has those of all recipients. */
  async function marked(accountId: string, lines: FoundMessage[], filter: MessageFilter) {
    const { reference, tag } = filter;
    const labels = await labelsOfFound(accountId, lines);
    return lines.filter(({ _id }) => {
      const own = labels.get(_id);
      return own !== undefined && (reference === undefined || own.reference === reference) &&
        (tag === undefined || own.tags.includes(tag));
    });
  }

  return {
    labelsOfFound,
    async search(accountId, asked, { limit, before, forMs = SEARCH_MS }) {
      const search = searchFor(forMs, before);
      const filter = { ...asked, states: storedStates(asked.states) };
      const isMarked = filter.reference !== undefined || filter.tag !== undefined;
      const isIndexed = filter.sendId === undefined &&
        filter.batchId === undefined && !isMarked &&
        (filter.email !== undefined || hasIndex(filter.states));
      const queued: FoundMessage[] = [];
      const batches = isIndexed
        ? merged(byIndex(accountId, filter, search), queued)
        : bySends(accountId, filter, search);
      const found: FoundMessage[] = [];
      let next = before ?? null;
      try {
        if (isIndexed) {
          for await (const lines of waiting(accountId, filter, search)) queued.push(...lines);
        }
        for await (const { lines, end } of batches) {
          const current = (await withRegisters(lines, ledgers))
            .filter((line) => matchesFilter(line, asked));
          for (const line of isMarked ? await marked(accountId, current, asked) : current) {
            found.push(line);
            if (found.length === limit) return { messages: found, next: line._id, isCut: false };
          }
          next = end;
          if (search.isOver()) return { messages: found, next, isCut: true };
        }
      } catch (error) {
        if (!isTimeExpired(error)) throw error;
        return { messages: found, next, isCut: true };
      }
      return { messages: found, next: null, isCut: false };
    },
  };
}

/** Merges waiting messages, newest first, with those found by an index. */
async function* merged(
  batches: AsyncIterable<{ lines: FoundMessage[]; end: string }>,
  queued: FoundMessage[],
): AsyncGenerator<{ lines: FoundMessage[]; end: string }> {
  for await (const { lines, end } of batches) {
    const here: FoundMessage[] = [];
    for (let next = queued[0]; next !== undefined && next._id > end; next = queued[0]) {
      here.push(next);
      queued.shift();
    }
    yield { lines: [...lines, ...here].toSorted(newestFirst), end };
  }
  const last = queued.at(-1);
  if (last !== undefined) yield { lines: queued, end: last._id };
}

interface Search {
  before: string | undefined;
  isOver(): boolean;
  /** Returns the rest of the time, at least 1. */
  restMs(): number;
}

type Line = Omit<FoundMessage, "send" | "hasPdfs" | "subject"> & Pick<Message, "sealedSubject">;
type Head = FoundSend & Pick<StoredSend, "_id" | "pdfs" | "subjectKey">;

const LINE = {
  ...{ sendId: 1, index: 1, email: 1, state: 1, attempt: 1, acceptedAt: 1, finishedAt: 1 },
  ...{ nextAt: 1, waitsFor: 1, reason: 1, reply: 1, copiesRefused: 1, sealedSubject: 1 },
};
const HEAD = {
  ...{ template: 1, integrationId: 1, messageCount: 1, settledAt: 1 },
  ...{ references: 1, tags: 1, labels: 1, hasOwnLabels: 1, pdfs: 1, subjectKey: 1 },
};

function searchFor(forMs: number, before: string | undefined): Search {
  const end = performance.now() + forMs;
  return {
    before,
    isOver: () => performance.now() >= end,
    restMs: () => Math.max(1, Math.ceil(end - performance.now())),
  };
}

/**
 * Returns the states in documents. A message that is being sent is queued or deferred there; one without a
 * document counts as queued.
 */
function storedStates(states: MessageFilter["states"]): MessageFilter["states"] {
  const more = [
    ...(states?.includes("sending") ? ["queued", "deferred"] as const : []),
    ...(states?.includes("scheduled") ? ["queued"] as const : []),
  ];
  return states && [...new Set([...states, ...more])];
}

function hasIndex(states: MessageFilter["states"]): boolean {
  const indexed: readonly MessageState[] = INDEXED_STATES;
  return states !== undefined && states.length > 0 &&
    states.every((state) => indexed.includes(state));
}

function newestFirst(a: Pick<Line, "_id">, b: Pick<Line, "_id">): number {
  return a._id < b._id ? 1 : -1;
}

/**
 * Returns the spellings to look up: addresses are stored as requests had them, and the index knows no other
 * case.
 */
function spellingsOf({ text }: NonNullable<MessageFilter["email"]>): string[] {
  const at = text.lastIndexOf("@");
  const withDomain = at === -1 ? text : text.slice(0, at) + text.slice(at).toLowerCase();
  return [...new Set([text, withDomain, text.toLowerCase()])];
}

function emailCondition({ text, isPrefix }: NonNullable<MessageFilter["email"]>) {
  return isPrefix ? { $gte: text, $lt: `${text}\u{ffff}` } : text;
}

/** Groups sends, so that large ones are read one by one and small ones together. */
function groupsOf(heads: Head[]): Head[][] {
  const groups: Head[][] = [];
  let weight = Infinity;
  for (const head of heads) {
    weight += head.messageCount;
    if (weight > BATCH) {
      groups.push([]);
      weight = head.messageCount;
    }
    groups.at(-1)?.push(head);
  }
  return groups;
}

function joined(line: Line, head: Head | undefined): FoundMessage[] {
  if (head === undefined) return [];
  const { _id: _sendId, pdfs, subjectKey, ...send } = head;
  const { _id, sendId, index, email, state, attempt, acceptedAt } = line;
  const { finishedAt, nextAt, waitsFor, reason, reply, copiesRefused, sealedSubject } = line;
  const who = { _id, sendId, index, email, state, attempt, acceptedAt };
  return [{
    ...{ ...who, finishedAt, nextAt, waitsFor, reason, reply },
    ...(copiesRefused === undefined ? {} : { copiesRefused }),
    ...{ hasPdfs: hasPdfs(pdfs, index), send },
    // A search reads many messages that it does not find: only those that are asked for are decrypted.
    get subject() {
      return openSubject(sealedSubject, subjectKey);
    },
  }];
}

/** Returns the condition for sends that have a reference and a tag, of their own or of a recipient. */
function labelCondition({ reference, tag }: MessageFilter): Filter<StoredSend> {
  return {
    ...(reference === undefined ? {} : { references: reference }),
    ...(tag === undefined ? {} : { tags: tag }),
  };
}
