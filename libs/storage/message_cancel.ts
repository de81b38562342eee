import {
  isSendId,
  type Message,
  messageIdOf,
  parseMessageId,
  type Send,
  TERMINAL_STATES,
} from "@posthaste/contracts";
import { advance, beginVoid, mayClose, nextAttempt } from "@posthaste/delivery";
import { allEnded, randomName } from "@posthaste/runtime";
import type { Condition, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { messageIdRange, readTimeline } from "./_message_document.ts";
import { identityOf } from "./message_identity.ts";
import { type DeliveryLedgers, outcomeOf } from "./delivery_ledger.ts";
import type { AttemptOutcome } from "./stored_register.ts";
import { sendStore } from "./send_store.ts";

/** Canceling of messages. */
export interface MessageCancel {
  /**
   * Cancels a message that is not being sent. From then on no worker can send its mail, wherever its events
   * are. Returns the changed message; `null` if it does not exist, has ended or is being sent.
   */
  cancel(accountId: string, id: string, now: Date): Promise<Message | null>;
  /** Cancels all messages of a send that can be canceled; `null` if there is no such send. */
  cancelSend(accountId: string, sendId: string, now: Date): Promise<CanceledSend | null>;
  /** Cancels some messages of a send, by their index. Returns how many it canceled. */
  cancelSome(accountId: string, some: SomeOfSend, now: Date): Promise<number>;
}

/** The result of canceling a send. */
export interface CanceledSend {
  /** Messages that this call canceled. */
  canceled: number;
  /** Messages that have ended or are being sent. Those that were canceled before do not count. */
  tooLate: number;
}

/** Some messages of a send. */
export interface SomeOfSend {
  sendId: string;
  indexes: ReadonlySet<number>;
}

const REASON = "Canceled on request";

/** Returns the canceling of messages. */
export function messageCancel(db: Db, { ledgerOf }: DeliveryLedgers): MessageCancel {
  const { messages, sends } = collectionsOf(db);
  const { find: findSend } = sendStore(db);

  /**
   * Brings the reconciler's next look forward, so that it settles the send soon if this message was the last.
   */
  async function lookSoon({ _id, accountId }: Pick<Send, "_id" | "accountId">, now: Date) {
    await sends.updateOne({ _id, accountId, settledAt: null }, { $min: { reconcileAt: now } });
  }

  /** Ends the waiting of a send of which nothing is left to dispatch. */
  async function endWaiting({ _id, accountId }: Pick<Send, "_id" | "accountId">) {
    await sends.updateOne({ _id, accountId }, {
      $unset: { next: "", waitsFor: "", waitsUntil: "", held: "" },
    });
  }

  /** Ends the waiting of a send if all messages beyond its cursor have ended. */
  async function endWaitingIfOver(send: Send) {
    const { _id: sendId, accountId, next, messageCount } = send;
    if (next === undefined) return;
    // A message that waits has no document, so few are examined.
    const ended = await messages.countDocuments({
      accountId,
      _id: { $gte: messageIdOf(sendId, next), $lte: messageIdOf(sendId, messageCount - 1) },
      state: { $in: [...TERMINAL_STATES] },
    });
    if (ended === messageCount - next) await endWaiting(send);
  }

  /** Takes the register of the next attempt, as a sender would have to. */
  async function close(
    send: Send,
    { index, known }: { index: number; known: Pick<Message, "attempt" | "state"> | undefined },
    now: Date,
  ): Promise<boolean> {
    const identity = identityOf(send, index);
    const stored = known && outcomeOf(known);
    if (identity === null || !mayClose(stored)) return false;
    // It ends before it would have started.
    const message = now < identity.acceptedAt
      ? { ...identity, acceptedAt: send.acceptedAt }
      : identity;
    const n = nextAttempt(stored);
    const outcome: AttemptOutcome = {
      ...{ state: "canceled", at: now, reason: REASON },
      lines: [{ at: now, type: "canceled", attempt: n - 1, detail: REASON }],
    };
    const by = randomName();
    const ending = await advance(beginVoid({ n, by, outcome }), ledgerOf(message), {
      // An earlier call may have begun to cancel it, or a mailer that was lost to defer it.
      completes: ({ state }) => state === "canceled" || mayClose({ attempt: n, state }),
    });
    if (ending.phase !== "end") return false;
    if (ending.result !== "completed") return ending.result === "written";
    const { state } = ending.outcome;
    return state === "canceled" || await close(send, { index, known: { attempt: n, state } }, now);
  }

  /** Closes messages of a send. Returns how many it closed, and those that had a document before. */
  async function closeAll(
    send: Send,
    { indexes, ids }: { indexes: Iterable<number>; ids: Condition<string> },
    now: Date,
  ) {
    const { accountId } = send;
    const known = await messages.find({ _id: ids, accountId }).toArray();
    const byIndex = new Map(known.map((message) => [message.index, message]));
    const closed = await allEnded(
      [...indexes],
      (index) => close(send, { index, known: byIndex.get(index) }, now),
    );
    return { canceled: closed.filter((isClosed) => isClosed).length, known };
  }

  return {
    async cancel(accountId, _id, now) {
      const parsed = parseMessageId(_id);
      const send = parsed && await findSend(accountId, parsed.sendId);
      if (!send) return null;
      const known = await messages.findOne({ _id, accountId }) ?? undefined;
      if (!await close(send, { index: parsed.index, known }, now)) return null;
      await endWaitingIfOver(send);
      await lookSoon(send, now);
      const canceled = await messages.findOne({ _id, accountId });
      return canceled && readTimeline(canceled);
    },
    async cancelSend(accountId, sendId, now) {
      const send = isSendId(sendId) ? await findSend(accountId, sendId) : null;
      if (send === null) return null;
      const { canceled, known } = await closeAll(send, {
        indexes: send.request.to.keys(),
        ids: messageIdRange(sendId),
      }, now);
      await endWaiting(send);
      await lookSoon(send, now);
      const before = known.filter(({ state }) => state === "canceled").length;
      return { canceled, tooLate: send.request.to.length - canceled - before };
    },
    async cancelSome(accountId, { sendId, indexes }, now) {
      const send = isSendId(sendId) ? await findSend(accountId, sendId) : null;
      if (send === null) return 0;
      const ids = { $in: [...indexes].map((index) => messageIdOf(sendId, index)) };
      const { canceled } = await closeAll(send, { indexes, ids }, now);
      await endWaitingIfOver(send);
      await lookSoon(send, now);
      return canceled;
    },
  };
}
