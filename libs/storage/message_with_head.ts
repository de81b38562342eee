import {
  type Labels,
  labelsOf,
  localeOf,
  type Message,
  parseMessageId,
  type Send,
} from "@posthaste/contracts";
import { isWanted } from "@posthaste/delivery";
import type { Db } from "mongodb";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { queuedMessage, readTimeline } from "./_message_document.ts";
import { messageLabels } from "./_message_labels.ts";
import { hasPdfs, type LabelFields, type LocaleFields, toSend } from "./_stored_send.ts";
import { withRegisters } from "./_with_registers.ts";
import { type DeliveryLedgers, outcomeOf } from "./delivery_ledger.ts";

/** A message, and what a reader needs of its send. */
export interface MessageWithHead {
  message: Message;
  send: Pick<Send, "acceptedAt" | "template" | "integrationId">;
  labels: Labels;
  /** Whether its mail has PDFs. */
  hasPdfs: boolean;
  /** The language that its mail was wanted in; missing if none was named, or its recipient is forgotten. */
  locale?: string | undefined;
}

/** Look-up of a message for a reader. */
export interface MessagesWithHeads {
  /**
   * Finds a message of an account. The request of its send, which may weigh megabytes, is read only if the
   * message has no outcome yet, or if recipients have labels or languages of their own.
   */
  findWithHead(accountId: string, id: string): Promise<MessageWithHead | null>;
}

type Head =
  & MessageWithHead["send"]
  & LabelFields
  & LocaleFields
  & Pick<StoredSend, "messageCount" | "pdfs">;

const HEAD = {
  ...{ acceptedAt: 1, template: 1, integrationId: 1, messageCount: 1, labels: 1 },
  ...{ hasOwnLabels: 1, locale: 1, hasOwnLocales: 1, pdfs: 1 },
};

/** Returns the look-up of messages for readers. */
export function messagesWithHeads(
  db: Db,
  ledgers: Pick<DeliveryLedgers, "find">,
): MessagesWithHeads {
  const { messages, sends } = collectionsOf(db);
  const { labelsOfFound } = messageLabels(db);

  async function queuedOf(accountId: string, sendId: string, index: number) {
    const stored = await sends.findOne({ _id: sendId, accountId });
    return stored?.request === undefined ? null : queuedMessage(toSend(stored), index);
  }

  async function localeIn(
    { accountId, sendId, index, forgottenAt }: Message,
    { locale, hasOwnLocales }: LocaleFields,
  ): Promise<string | undefined> {
    if (forgottenAt !== undefined) return undefined;
    if (!hasOwnLocales) return locale;
    const projection = { request: 1 };
    const found = await sends.findOne({ _id: sendId, accountId }, { projection });
    const request: Send["request"] | undefined = found && JSON.parse(found.request);
    return request && localeOf(request, request.to[index]);
  }

  return {
    async findWithHead(accountId, _id) {
      const parsed = parseMessageId(_id);
      if (parsed === undefined) return null;
      const { sendId, index } = parsed;
      const [found, head] = await Promise.all([
        messages.findOne({ _id, accountId }),
        sends.findOne<Head>({ _id: sendId, accountId }, { projection: HEAD }),
      ]);
      // A withdrawn send has no count.
      if (head === null || !(index < head.messageCount)) return null;
      const known = found ?? await queuedOf(accountId, sendId, index);
      if (known === null) return null;
      const read = readTimeline(known);
      const isOver = found !== null && !isWanted(outcomeOf(found));
      const [message = read] = isOver ? [] : await withRegisters([read], ledgers);
      const [all, locale] = await Promise.all([
        labelsOfFound(accountId, [{ _id, sendId, index, send: head }]),
        localeIn(message, head),
      ]);
      const { acceptedAt, template, integrationId } = head;
      const labels = all.get(_id) ?? labelsOf({});
      const send = { acceptedAt, template, integrationId };
      return { message, send, labels, hasPdfs: hasPdfs(head.pdfs, index), locale };
    },
  };
}
