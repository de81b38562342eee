import { type GivenLabels, type Labels, labelsOf, type Send } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import type { LabelFields } from "./_stored_send.ts";

/** A message whose send is known. */
export interface LabelledMessage {
  _id: string;
  sendId: string;
  index: number;
  send: LabelFields;
}

/** Labels of messages. */
export interface MessageLabels {
  /** Returns the labels of found messages, by their ids. */
  labelsOfFound(
    accountId: string,
    messages: readonly LabelledMessage[],
  ): Promise<Map<string, Labels>>;
}

/** Returns the labels of a stored send. */
export function topLabelsOf({ labels }: LabelFields): GivenLabels {
  return labels === undefined ? {} : JSON.parse(labels);
}

/** Returns the look-up of the labels of messages. */
export function messageLabels(db: Db): MessageLabels {
  const { sends } = collectionsOf(db);

  /**
   * Reads recipients' labels, one request at a time: each may weigh megabytes. Requests without labels of
   * recipients are not read.
   */
  async function ownLabels(accountId: string, messages: readonly LabelledMessage[]) {
    const marked = messages.filter(({ send }) => send.hasOwnLabels);
    const bySend = Map.groupBy(marked, ({ sendId }) => sendId);
    const own = new Map<string, GivenLabels>();
    if (bySend.size === 0) return own;
    const found = sends.find({ _id: { $in: [...bySend.keys()] }, accountId }).batchSize(1)
      .project<{ _id: string; request: string }>({ request: 1 });
    for await (const { _id, request } of found) {
      const { to }: Send["request"] = JSON.parse(request);
      for (const message of bySend.get(_id) ?? []) own.set(message._id, to[message.index] ?? {});
    }
    return own;
  }

  return {
    async labelsOfFound(accountId, messages) {
      const own = await ownLabels(accountId, messages);
      return new Map(
        messages.map(({ _id, send }) => [_id, labelsOf(topLabelsOf(send), own.get(_id))]),
      );
    },
  };
}
