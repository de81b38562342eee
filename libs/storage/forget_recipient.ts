import {
  copyFields,
  envelopeOf,
  isTerminal,
  type Message,
  messageIdOf,
  type Send,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf, emailsOf, type StoredSend } from "./_collections.ts";
import { copyFieldsOfSend, withoutCopies } from "./_copies.ts";
import { assetFieldOf, type LabelFields, labelFieldsOf } from "./_stored_send.ts";
import { messageCancel } from "./message_cancel.ts";
import type { DeliveryLedgers } from "./delivery_ledger.ts";

/** The result of forgetting a person. */
export interface Forgotten {
  /** Messages that no longer name a recipient. */
  messages: number;
  /** Of these, those that were not sent yet and never will be. */
  canceled: number;
  /** Messages with copies to the person that no longer name them. */
  copies: number;
  /** Ids of messages that are being sent, or whose outcome a person must decide. */
  left: string[];
  /** Lines of the audit log that no longer name the person. */
  auditLines: number;
  /** Invitations that were withdrawn. */
  invitations: number;
}

/** Removing a person's data on request. */
export interface RecipientForgetting {
  /**
   * Removes what an account's ledger knows about the recipient of an address: address, name, variables, names
   * of files and the words of servers. Mail to others no longer sends copies to the address. It stays
   * recorded that there was a message, when, and how it ended. A suppression of the address stays, without the
   * address. Repeat the call while `left` is not empty.
   */
  forgetRecipient(accountId: string, email: string, now: Date): Promise<Forgotten>;
}

/** The address that replaces a forgotten one. It cannot exist (RFC 2606). */
export const FORGOTTEN_ADDRESS = "forgotten@forgotten.invalid";

const AT_ONCE = 100;

/** Fields of a send that follow from its request. */
type FoundBy = LabelFields & Pick<StoredSend, "copies" | "assets">;

const FOUND_BY = [
  ...["references", "tags", "labels", "hasOwnLabels"] as const,
  ...["copies", "assets"] as const,
] satisfies (keyof FoundBy)[];

type RequestChange = Partial<Pick<StoredSend, "request" | "contentRemovedAt" | "emails"> & FoundBy>;

function fieldsOf(request: Send["request"]): FoundBy {
  return {
    ...labelFieldsOf(request),
    ...copyFieldsOfSend(request),
    ...assetFieldOf(request),
  };
}

/** Returns the removal of a person's data. */
export function recipientForgetting(db: Db, ledgers: DeliveryLedgers): RecipientForgetting {
  const { messages, sends, audit, chainedAudit, invitations, suppressions } = collectionsOf(db);
  const { cancel: cancelMessage } = messageCancel(db, ledgers);

  /**
   * Cancels messages without an outcome, which creates their documents. Returns the ids of canceled and other
   * messages.
   */
  async function cancelOpen(accountId: string, email: string, now: Date) {
    const canceled = new Set<string>();
    const left = new Set<string>();
    const wanted = email.toLowerCase();
    for await (const send of sends.find({ accountId, emails: wanted, settledAt: null })) {
      const { to }: Send["request"] = JSON.parse(send.request);
      for (const [index, recipient] of to.entries()) {
        if (recipient.email.toLowerCase() !== wanted) continue;
        const id = messageIdOf(send._id, index);
        const isCanceled = await cancelMessage(accountId, id, now) !== null;
        (isCanceled ? canceled : left).add(id);
      }
    }
    return { canceled, left };
  }

  /**
   * Forgets first the send, then the message: after an interruption, the message's address finds it again.
   */
  async function forget(message: Message, now: Date): Promise<boolean> {
    const { _id, accountId, state, attempt } = message;
    await forgetInSend(message, now);
    const { matchedCount } = await messages.updateOne(
      { _id, accountId, state, attempt },
      { $set: { ...anonymous(message), forgottenAt: now } },
    );
    return matchedCount > 0;
  }

  async function forgetInSend(message: Message, now: Date): Promise<void> {
    const { index } = message;
    await changeRequest(message, (send) => withoutRecipient(send, { index, now }));
  }

  /** Changes a send's request, despite concurrent changes. */
  async function changeRequest(
    { sendId, accountId }: Pick<Message, "sendId" | "accountId">,
    change: (send: StoredSend) => RequestChange,
  ): Promise<void> {
    for (;;) {
      const found = await sends.findOne({ _id: sendId, accountId });
      if (!found?.request) return;
      const set = change(found);
      const gone = FOUND_BY.filter((name) => !(name in set));
      const update = {
        $set: set,
        $unset: Object.fromEntries(gone.map((name) => [name, "" as const])),
      };
      const same = { _id: sendId, accountId, request: found.request };
      if ((await sends.updateOne(same, update)).matchedCount > 0) return;
    }
  }

  /**
   * Removes copies to the address, and the record of those it got. Returns the number of messages, and those
   * that may be in flight with a copy.
   */
  async function forgetCopies(accountId: string, email: string) {
    const wanted = email.toLowerCase();
    const isGone = (address: string) => address.toLowerCase() === wanted;
    const open: string[] = [];
    for await (const send of sends.find({ accountId, copies: wanted })) {
      if (send.settledAt === null) open.push(...messagesCopied(send, wanted));
      await changeRequest({ sendId: send._id, accountId }, ({ request }) => {
        const parsed = withoutCopies(JSON.parse(request), isGone);
        return { request: JSON.stringify(parsed), ...fieldsOf(parsed) };
      });
    }
    const ended = await messages.find({ accountId, _id: { $in: open } })
      .project<Pick<Message, "_id" | "state">>({ state: 1 }).toArray();
    const over = new Set(ended.filter(({ state }) => isTerminal(state)).map(({ _id }) => _id));
    let changed = 0;
    const copied = messages.find({ accountId, copies: wanted })
      .project<Pick<Message, "_id" | "copiesRefused">>({ copiesRefused: 1 });
    for await (const { _id, copiesRefused } of copied) {
      const refused = copiesRefused?.filter((copy) => !isGone(copy.email));
      await messages.updateOne({ _id, accountId }, {
        $pull: { copies: wanted },
        ...(refused === undefined ? {} : { $set: { copiesRefused: refused } }),
      });
      changed++;
    }
    return { changed, left: open.filter((id) => !over.has(id)) };
  }

  async function forgetInAudit(accountId: string, email: string): Promise<number> {
    let lines = 0;
    const mention = new RegExp(escaped(email), "i");
    for await (const entry of audit.find({ accountId })) {
      if (entry.seq !== undefined) {
        // The digest covers the whole content, so the whole content is erased and the chain stays.
        if (entry.content === null || !mention.test(JSON.stringify(entry.content))) continue;
        await chainedAudit.updateOne({ _id: entry._id, accountId }, { $set: { content: null } });
        lines++;
        continue;
      }
      const { _id, userEmail, target, details } = entry;
      const said = { userEmail, target, details };
      const text = JSON.stringify(said);
      const clean = text.replaceAll(new RegExp(mention, "gi"), FORGOTTEN_ADDRESS);
      if (clean === text) continue;
      await audit.updateOne({ _id, accountId }, { $set: JSON.parse(clean) as typeof said });
      lines++;
    }
    return lines;
  }

  return {
    async forgetRecipient(accountId, email, now) {
      // The entry stays, by its hash: who is forgotten still gets no mail.
      await suppressions.updateOne({ accountId, email: email.toLowerCase() }, {
        $unset: { email: "", messageId: "" },
      });
      const open = await cancelOpen(accountId, email, now);
      const copied = await forgetCopies(accountId, email);
      for (const id of copied.left) open.left.add(id);
      const done = {
        ...{ messages: 0, canceled: 0 },
        copies: copied.changed,
        auditLines: await forgetInAudit(accountId, email),
        invitations: (await invitations.deleteMany({ accountId, email: email.toLowerCase() }))
          .deletedCount,
      };
      const spellings = [...new Set([email, email.toLowerCase()])];
      for (let after = "";;) {
        const batch = await messages.find({
          accountId,
          email: { $in: spellings },
          _id: { $gt: after },
        }).sort({ _id: 1 }).limit(AT_ONCE).toArray();
        for (const found of batch) {
          const canceled = await cancelMessage(accountId, found._id, now);
          const message = canceled ?? found;
          if (isTerminal(message.state) && await forget(message, now)) {
            done.messages++;
            if (canceled !== null || open.canceled.has(found._id)) done.canceled++;
            open.left.delete(found._id);
          } else open.left.add(found._id);
        }
        const last = batch.at(-1);
        if (last === undefined || batch.length < AT_ONCE) return { ...done, left: [...open.left] };
        after = last._id;
      }
    },
  };
}

function messagesCopied({ _id, request }: StoredSend, wanted: string): string[] {
  const parsed: Send["request"] = JSON.parse(request);
  return parsed.to.flatMap((recipient, index) => {
    const { copies = [] } = copyFields(envelopeOf(parsed, recipient), recipient.email);
    return copies.includes(wanted) ? [messageIdOf(_id, index)] : [];
  });
}

function withoutRecipient(
  { request, contentRemovedAt, emails }: StoredSend,
  { index, now }: { index: number; now: Date },
): RequestChange {
  const parsed: Send["request"] = JSON.parse(request);
  const to = parsed.to.map((recipient, at) =>
    at !== index ? recipient : {
      email: FORGOTTEN_ADDRESS,
      ...(recipient.attachments
        ? { attachments: recipient.attachments.map(({ id }) => ({ id })) }
        : {}),
    }
  );
  // Shared variables belong to no single recipient, and stay unless this was the last one.
  const isLast = to.every((recipient) => recipient.email === FORGOTTEN_ADDRESS);
  const rest = isLast ? { from: parsed.from, to } : { ...parsed, to };
  return {
    request: JSON.stringify(rest),
    ...fieldsOf(rest),
    ...(emails === undefined ? {} : { emails: emailsOf(rest.to) }),
    ...(isLast && !contentRemovedAt ? { contentRemovedAt: now } : {}),
  };
}

/** Returns a message without the words of servers: they may quote addresses. */
function anonymous({ reply, timeline, reason, copies }: Message): Partial<Message> {
  const { response: _words, ...codes } = reply ?? {};
  return {
    email: FORGOTTEN_ADDRESS,
    ...(copies === undefined ? {} : { copies: [], copiesRefused: [] }),
    reason: reason === null ? null : "Forgotten on request",
    reply: reply === null ? null : codes,
    timeline: timeline.map(({ detail: _detail, ...entry }) => entry),
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
