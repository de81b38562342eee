import { type Labels, labelsOf, type Send } from "@posthaste/contracts";
import type { Db, Filter } from "mongodb";
import { acceptedWithin } from "./_accepted_within.ts";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { meets, type Tests } from "./_meets.ts";
import { topLabelsOf } from "./_message_labels.ts";
import { isTimeExpired } from "./_time_expired.ts";
import type { SearchPage } from "./message_search.ts";

/** Conditions of a search for sends. A condition that is left out does not apply. */
export interface SendFilter {
  templateId?: number | undefined;
  integrationId?: number | undefined;
  /** Of the send, or of one of its recipients. */
  reference?: string | undefined;
  tag?: string | undefined;
  batchId?: string | undefined;
  isSettled?: boolean | undefined;
  /** Accepted at this time or later. */
  from?: Date | undefined;
  /** Accepted before this. */
  until?: Date | undefined;
}

/** The fields of a found send. */
export type FoundSendHead =
  & Pick<
    Send,
    | ("_id" | "acceptedAt" | "template" | "integrationId" | "messageCount" | "settledAt")
    | "batchId"
  >
  & Labels;

/** A page of sends, newest first. */
export interface SendSearchResult {
  sends: FoundSendHead[];
  /** The value of `before` to continue; null at the end. */
  next: string | null;
  /** Whether the time ended before the page was full. */
  isCut: boolean;
}

/** Search for sends. */
export interface SendSearch {
  /** Finds sends of an account, newest first. */
  search(accountId: string, filter: SendFilter, page: SearchPage): Promise<SendSearchResult>;
}

type Head = Omit<FoundSendHead, keyof Labels> & Pick<StoredSend, "labels">;

const SEARCH_MS = 2000;

/** Sends that are read between two checks of the time: a search that was cut continues after them. */
const SENDS_PER_QUERY = 1000;

const HEAD = {
  ...{ acceptedAt: 1, template: 1, integrationId: 1, messageCount: 1, settledAt: 1, labels: 1 },
  batchId: 1,
};

/** Conditions that the query meets. */
type InQuery = "reference" | "tag" | "batchId" | "from" | "until";

const TESTS: Tests<Head, Omit<SendFilter, InQuery>> = {
  templateId: ({ template }, wanted) => template.id === wanted,
  integrationId: ({ integrationId }, wanted) => integrationId === wanted,
  isSettled: ({ settledAt }, wanted) => wanted === (settledAt !== null),
};

/** Returns the search for sends. */
export function sendSearch(db: Db): SendSearch {
  const { sends } = collectionsOf(db);

  /**
   * Reads sends. Conditions with an index are in the query; the others are checked here, so that time can end
   * the search.
   */
  function read(accountId: string, filter: SendFilter, before: string | undefined) {
    const { from, until, reference, tag, batchId } = filter;
    const indexed: Filter<StoredSend> = {
      ...(reference === undefined ? {} : { references: reference }),
      ...(tag === undefined ? {} : { tags: tag }),
      ...(batchId === undefined ? {} : { batchId }),
    };
    return sends.find(acceptedWithin("snd", { accountId, from, until, before }, indexed))
      .sort({ _id: -1 }).limit(SENDS_PER_QUERY).project<Head>(HEAD);
  }

  return {
    async search(accountId, filter, { limit, before, forMs = SEARCH_MS }) {
      const end = performance.now() + forMs;
      const found: FoundSendHead[] = [];
      for (let next = before;;) {
        const restMs = Math.ceil(end - performance.now());
        if (restMs <= 0) return { sends: found, next: next ?? null, isCut: true };
        let count = 0;
        try {
          for await (const head of read(accountId, filter, next).maxTimeMS(restMs)) {
            count++;
            next = head._id;
            if (meets(head, filter, TESTS)) found.push(headOf(head));
            if (found.length === limit) return { sends: found, next, isCut: false };
          }
        } catch (error) {
          if (!isTimeExpired(error)) throw error;
          return { sends: found, next: next ?? null, isCut: true };
        }
        if (count < SENDS_PER_QUERY) return { sends: found, next: null, isCut: false };
      }
    },
  };
}

function headOf({ labels, ...head }: Head): FoundSendHead {
  return { ...head, ...labelsOf(topLabelsOf(labels === undefined ? {} : { labels })) };
}
