import {
  copyFields,
  envelopeOf,
  FORGOTTEN_ADDRESS,
  isTerminal,
  type Message,
  messageIdOf,
  type Send,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf, emailsOf, type StoredSend } from "./_collections.ts";
import { copyFieldsOfSend, withoutCopies } from "./_copies.ts";
import { forgetInAudit } from "./_forget_in_audit.ts";
import { withoutWords } from "./_without_words.ts";
import {
  assetFieldOf,
  type LabelFields,
  labelFieldsOf,
  type LocaleFields,
  localeFieldsOf,
} from "./_stored_send.ts";
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
  /**
   * Lines of the audit log that name the person, or no longer do: see {@linkcode ForgetOptions}. Only of those
   * that this call has read.
   */
  auditLines: number;
  /** The last line of the audit log that was read, if there are more: the next call's `auditAfter`. */
  auditNext: string | null;
  /** Invitations that were withdrawn. */
  invitations: number;
  /** Whether the time was over before all was done. Repeat the call then. */
  isCut: boolean;
}

/** How a person is forgotten. */
export interface ForgetOptions {
  /**
   * Whether the audit log is erased where it names the person, or such lines are only counted. Only the
   * operator's user of the database may change the log.
   */
  audit: "erase" | "count";
  /**
   * Time that the call may take, in milliseconds. It may exceed this by what one send or one batch of 100
   * messages takes. A repeated call continues. The audit log is read last.
   *
   * @default {Infinity}
   */
  budgetMs?: number;
  /** Where to go on in the audit log: `auditNext` of the call before. @default its beginning */
  auditAfter?: string | undefined;
}

/** Removing a person's data on request. */
export interface RecipientForgetting {
  /**
   * Removes what an account's ledger knows about the recipient of an address: address, name, variables, subjects, names
   * of files and the words of servers. Mail to others no longer sends copies to the address. It stays
   * recorded that there was a message, when, and how it ended. A suppression of the address stays, without the
   * address. Repeat the call while `left` is not empty.
   */
  forgetRecipient(
    accountId: string,
    email: string,
    options: ForgetOptions & { now: Date },
  ): Promise<Forgotten>;
}

const BATCH_SIZE = 100;

/** Fields of a send that follow from its request. */
type FoundBy = LabelFields & LocaleFields & Pick<StoredSend, "copies" | "assets">;

const FOUND_BY = [
  ...["references", "tags", "labels", "hasOwnLabels"] as const,
  ...["locale", "hasOwnLocales"] as const,
  ...["copies", "assets"] as const,
] satisfies (keyof FoundBy)[];

/** Ids of messages that were canceled at first, and of those that are left. */
interface Open {
  canceled: Set<string>;
  left: Set<string>;
}

/** When the call was made, and what shortens a list to the time that is left for it. */
interface Within {
  now: Date;
  part<T>(list: AsyncIterable<T>): AsyncIterable<T>;
}

/** Divides the time of a call among its parts, of which each handles at least one item. */
function openBudget(budgetMs: number) {
  const began = performance.now();
  let isCut = false;
  const isOver = (share: number) => performance.now() - began >= share * budgetMs && (isCut = true);
  return {
    get isCut() {
      return isCut;
    },
    isOver,
    until: (share: number) =>
      async function* <T>(list: AsyncIterable<T>): AsyncGenerator<T> {
        let isFirst = true;
        for await (const item of list) {
          if (!isFirst && isOver(share)) return;
          isFirst = false;
          yield item;
        }
      },
  };
}

type RequestChange = Partial<Pick<StoredSend, "request" | "contentRemovedAt" | "emails"> & FoundBy>;

function fieldsOf(request: Send["request"]): FoundBy {
  return {
    ...labelFieldsOf(request),
    ...localeFieldsOf(request),
    ...copyFieldsOfSend(request),
    ...assetFieldOf(request),
  };
}

/** Returns the removal of a person's data. */
export function recipientForgetting(db: Db, ledgers: DeliveryLedgers): RecipientForgetting {
  const { messages, sends, invitations, suppressions } = collectionsOf(db);
  const { cancel: cancelMessage } = messageCancel(db, ledgers);

  /**
   * Cancels messages without an outcome, which creates their documents. Returns the ids of canceled and other
   * messages.
   */
  async function cancelOpen(
    accountId: string,
    email: string,
    { now, part }: Within,
  ): Promise<Open> {
    const canceled = new Set<string>();
    const left = new Set<string>();
    const wanted = email.toLowerCase();
    for await (const send of part(sends.find({ accountId, emails: wanted, settledAt: null }))) {
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
      { $set: { ...anonymous(message), forgottenAt: now }, $unset: { sealedSubject: "" } },
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
  async function forgetCopies(accountId: string, email: string, { part }: Pick<Within, "part">) {
    const wanted = email.toLowerCase();
    const isGone = (address: string) => address.toLowerCase() === wanted;
    const open: string[] = [];
    for await (const send of part(sends.find({ accountId, copies: wanted }))) {
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
    for await (const { _id, copiesRefused } of part(copied)) {
      const refused = copiesRefused?.filter((copy) => !isGone(copy.email));
      await messages.updateOne({ _id, accountId }, {
        $pull: { copies: wanted },
        ...(refused === undefined ? {} : { $set: { copiesRefused: refused } }),
      });
      changed++;
    }
    return { changed, left: open.filter((id) => !over.has(id)) };
  }

  /** Forgets messages in batches; those without an outcome become `open.left`. */
  async function forgetMessages(
    accountId: string,
    email: string,
    { open, now, isOver }: { open: Open; now: Date; isOver(): boolean },
  ) {
    const done = { messages: 0, canceled: 0 };
    const spellings = [...new Set([email, email.toLowerCase()])];
    for (let beyond = "";;) {
      const batch = await messages.find({
        accountId,
        email: { $in: spellings },
        _id: { $gt: beyond },
      }).sort({ _id: 1 }).limit(BATCH_SIZE).toArray();
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
      if (last === undefined || batch.length < BATCH_SIZE || isOver()) return done;
      beyond = last._id;
    }
  }

  return {
    async forgetRecipient(accountId, email, { now, budgetMs = Infinity, ...options }) {
      const budget = openBudget(budgetMs);
      // The entry stays, by its hash: who is forgotten still gets no mail.
      await suppressions.updateOne({ accountId, email: email.toLowerCase() }, {
        $unset: { email: "", messageId: "" },
      });
      const invited = await invitations.deleteMany({ accountId, email: email.toLowerCase() });
      const open = await cancelOpen(accountId, email, { now, part: budget.until(1 / 3) });
      const copied = await forgetCopies(accountId, email, { part: budget.until(2 / 3) });
      for (const id of copied.left) open.left.add(id);
      const forgotten = await forgetMessages(accountId, email, {
        ...{ open, now, isOver: () => budget.isOver(1) },
      });
      const log = await forgetInAudit(db, { accountId, email }, {
        ...{ ...options, isOver: () => budget.isOver(1) },
      });
      return {
        ...{ ...forgotten, copies: copied.changed, left: [...open.left] },
        ...{ auditLines: log.lines, auditNext: log.next },
        ...{ invitations: invited.deletedCount, isCut: budget.isCut },
      };
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
  return {
    email: FORGOTTEN_ADDRESS,
    ...(copies === undefined ? {} : { copies: [], copiesRefused: [] }),
    ...withoutWords({ reason, reply, timeline }),
  };
}
