import {
  type GivenLabels,
  type Labels,
  labelsOf,
  type Message,
  type Send,
  type SendEventData,
} from "@posthaste/contracts";
import { LRUCache } from "lru-cache";
import type { Db } from "mongodb";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { messageIdRange, readTimeline } from "./_message_document.ts";
import { topLabelsOf } from "./_message_labels.ts";
import { templateIdOf } from "./template_head.ts";

/** The facts about a send and its messages that events contain. */
export interface EventSubject
  extends Pick<Send, "accountId" | "integrationId" | "messageCount" | "batchId"> {
  template: SendEventData["template"];
  /** Returns the labels of the send or, with an index, of a recipient's message. */
  labelsOf(index?: number): Labels;
}

/** The messages to read: those of some sends, or some by id. */
export type TimelinesOf = { sendIds: readonly string[] } | { messageIds: readonly string[] };

/** Look-ups of the sends and messages that events are about. */
export interface EventSubjects {
  /** Finds the facts about sends, by their ids. Results are cached: they do not change. */
  subjects(sendIds: Iterable<string>): Promise<Map<string, EventSubject>>;
  /** Reads messages that have a document, with their timelines from the oldest line on. */
  timelines(of: TimelinesOf): AsyncIterable<Message>;
}

/** In characters, of the labels of sends. */
const MAX_REMEMBERED = 8_000_000;
/** The size that counts for a send without labels. */
const LEAST_REMEMBERED = 500;

type Head = Pick<
  StoredSend,
  | ("_id" | "accountId" | "integrationId" | "messageCount" | "template" | "labels")
  | ("hasOwnLabels" | "batchId")
>;

const HEAD = {
  ...{ accountId: 1, integrationId: 1, messageCount: 1, template: 1, labels: 1 },
  ...{ hasOwnLabels: 1, batchId: 1 },
};

/** Returns the look-ups of what events are about. */
export function eventSubjects(db: Db): EventSubjects {
  const { messages, sends, templates } = collectionsOf(db);
  const remembered = new LRUCache<string, EventSubject>({ maxSize: MAX_REMEMBERED });

  async function aliasesOf(heads: readonly Head[]): Promise<Map<string, string | null>> {
    const ids = new Set(heads.map(emailTemplateOf));
    const found = templates.find({ _id: { $in: [...ids] } }, { projection: { alias: 1 } });
    return new Map((await found.toArray()).map(({ _id, alias }) => [_id, alias]));
  }

  /** Reads recipients' labels, one request at a time: each may weigh megabytes. */
  async function ownLabelsOf(heads: readonly Head[]): Promise<Map<string, GivenLabels[]>> {
    const own = new Map<string, GivenLabels[]>();
    const marked = heads.filter(({ hasOwnLabels }) => hasOwnLabels).map(({ _id }) => _id);
    if (marked.length === 0) return own;
    const found = sends.find({ _id: { $in: marked }, request: { $exists: true } }).batchSize(1)
      .project<{ _id: string; request: string }>({ request: 1 });
    for await (const { _id, request } of found) {
      const { to }: Send["request"] = JSON.parse(request);
      own.set(_id, to.map(({ reference, tags, metadata }) => ({ reference, tags, metadata })));
    }
    return own;
  }

  async function learn(ids: readonly string[]): Promise<[string, EventSubject][]> {
    if (ids.length === 0) return [];
    const heads = await sends.find({ _id: { $in: [...ids] }, messageCount: { $exists: true } })
      .project<Head>(HEAD).toArray();
    const [aliases, own] = await Promise.all([aliasesOf(heads), ownLabelsOf(heads)]);
    return heads.map((head) => {
      const given = own.get(head._id);
      const subject = subjectOf(head, { alias: aliases.get(emailTemplateOf(head)), own: given });
      const size = LEAST_REMEMBERED + (given === undefined ? 0 : JSON.stringify(given).length);
      remembered.set(head._id, subject, { size });
      return [head._id, subject];
    });
  }

  return {
    async subjects(sendIds) {
      const ids = [...new Set(sendIds)];
      const known = ids.flatMap((id): [string, EventSubject][] => {
        const subject = remembered.get(id);
        return subject === undefined ? [] : [[id, subject]];
      });
      const found = new Set(known.map(([id]) => id));
      return new Map([...known, ...await learn(ids.filter((id) => !found.has(id)))]);
    },
    async *timelines(of) {
      const ranges = "sendIds" in of ? of.sendIds.map(messageIdRange) : [{ $in: of.messageIds }];
      if (ranges.length === 0) return;
      const found = messages.find({ $or: ranges.map((_id) => ({ _id })) });
      for await (const message of found) yield readTimeline(message);
    },
  };
}

function emailTemplateOf({ accountId, template }: Head): string {
  return templateIdOf(accountId, "email", template.id);
}

function subjectOf(
  head: Head,
  { alias = null, own }: { alias: string | null | undefined; own: GivenLabels[] | undefined },
): EventSubject {
  const { accountId, integrationId, messageCount, batchId, template: { id, version } } = head;
  const top = topLabelsOf(head);
  return {
    ...{ accountId, integrationId, messageCount, template: { id, alias, version } },
    ...(batchId === undefined ? {} : { batchId }),
    labelsOf: (index) => labelsOf(top, index === undefined ? {} : own?.[index]),
  };
}
