import {
  copiesOf,
  ENVELOPE_VERSION,
  type Integration,
  messageIdOf,
  TAIL_VERSION,
} from "@posthaste/contracts";
import type { Semaphore } from "@posthaste/limits";
import {
  carryTail,
  type Delivery,
  type MessagesEvent,
  type MessageStatusEvent,
  type Outgoing,
  readTail,
  redispatchesOf,
  reportsOf,
  type Step,
  type Verdict,
} from "@posthaste/messaging";
import { allEnded, failpoint } from "@posthaste/runtime";
import { type StorePart, suppressedFormOf, type SuppressionStore } from "@posthaste/storage";
import { addSpanAttributes } from "@posthaste/telemetry";
import type { Admission } from "./admission.ts";
import type { ReadyMessage } from "./compose_message.ts";
import { isTooOld } from "./begin_work.ts";
import { deferTooOld, failUnsent, returnUntried, suppress } from "./end_unsent.ts";
import { bytesOf } from "./mail_memory.ts";
import type { Peers } from "./share.ts";
import { type MessageDeps, sendMessage, type Suppressed } from "./send_message.ts";
import { drop, mailerFieldsOf } from "./end_attempt.ts";

/** The dependencies of the step. */
export type SendDeps = MessageDeps & StorePart<"registers.find"> & {
  integrations: {
    find(accountId: string, id: number): Promise<Integration | null>;
  };
  /** Returns which addresses of an account are suppressed now, by the address in lower case. */
  findSuppressed: SuppressionStore["among"];
  admission: Admission;
  /** The mailers that get the same mail. */
  peers(): Pick<Peers, "count">;
  /** Bytes of the mails in flight, of all and of each account. */
  inFlight: Semaphore;
};

/**
 * How often a mail passes on to another mailer, for each mailer there is. After that it goes back to the scheduler: fewer
 * than one in fifty, even if only one mailer has a connection.
 */
const PASSES_PER_MAILER = 4;

type MailMessage = Delivery<MessagesEvent>["data"]["messages"][number];

/**
 * Sends the messages of an event, each in its own SMTP transaction: takes the attempt's register while the
 * body is transmitted, and writes the outcome. No final dot is sent without the register. A worker lost
 * between the dot and the outcome is the one gap that SMTP leaves (RFC 1047). Messages that may not be sent
 * now go back to the scheduler, without a register. Messages for which only other mailers have connections go
 * back to the queue.
 */
export function sendStep(deps: SendDeps): Step<MessagesEvent> {
  return {
    name: "mailer.send",
    handle: async (delivery, _signal, place) => {
      const { accountId, integrationId, insteadOf } = delivery.data;
      const messages = await openMessages(delivery, deps);
      addSpanAttributes({
        "posthaste.send.id": delivery.data.sendId,
        "posthaste.recipient.count": messages.length,
      });
      const integration = await deps.integrations.find(accountId, integrationId);
      const own = insteadOf === undefined
        ? integration
        : await deps.integrations.find(accountId, insteadOf);
      const suppressed = await findSuppressed(accountId, messages, deps);
      using permits = new DisposableStack();
      const counted = messages.map((message) => {
        const permit = permits.use(deps.inFlight.tryAcquire(message.accountId, 0));
        return { message, permit, full: permit?.grow(bytesOf(message)) };
      });
      // From now on the bytes are the limit, not the places.
      if (counted.every(({ full }) => full !== "all")) place?.release();
      const results = await allEnded(counted, async ({ message, permit, full }) => {
        using _ = permit;
        if (integration === null || own === null) {
          return await failUnsent(message, deps, "The SMTP integration no longer exists");
        }
        const suppression = suppressed.get(suppressedFormOf(message.to.email));
        if (suppression !== undefined && !message.envelope?.toSuppressed) {
          return await suppress(message, suppression, deps);
        }
        // The account has enough mail in flight that waits for its servers.
        if (full === "owner") {
          return await returnUntried(message, deps);
        }
        const canPass = (delivery.data.passes ?? 0) < PASSES_PER_MAILER * deps.peers().count;
        return await sendOne(message, { integration, own, canPass, suppressed }, deps);
      });
      return verdictOf(delivery, results, messages);
    },
    giveUp: ({ data }, reason) => ({
      publish: reportsOf(data.messages.map(({ index, attempt }): MessageStatusEvent => {
        const fields = mailerFieldsOf({ ...data, index }, attempt, deps.now());
        return { type: "status.message.failed", data: { ...fields, stage: "pipeline", reason } };
      })),
    }),
  };
}

/** Returns the messages of an event that are still to be sent. */
async function openMessages(
  delivery: Delivery<MessagesEvent>,
  deps: SendDeps,
): Promise<ReadyMessage[]> {
  const { messages: stored, ...send } = delivery.data;
  const messages = readTail<MailMessage>(stored, delivery.tail).map((message): ReadyMessage => ({
    ...send,
    ...message,
    messageId: messageIdOf(send.sendId, message.index),
    attachments: "attachments" in message ? message.attachments : [],
  }));
  if (!delivery.isAgain && !send.redelivered) return messages;
  const attempts = messages.map(({ messageId, attempt }) => ({ messageId, n: attempt + 1 }));
  const registers = await deps.registers.find(attempts);
  const isOpen = ({ messageId, attempt }: ReadyMessage) =>
    !registers.has(`${messageId}/${attempt + 1}`);
  await allEnded(messages.filter((one) => !isOpen(one)), (one) => drop(one, deps));
  return messages.filter(isOpen);
}

/** What became of a message in this mailer. */
type Handled = "ended" | "elsewhere" | "content_missing";

async function sendOne(
  message: ReadyMessage,
  { integration, own, canPass, suppressed }: {
    integration: Integration;
    own: Integration;
    canPass: boolean;
    suppressed: Suppressed;
  },
  deps: SendDeps,
): Promise<Handled> {
  const admitted = await deps.admission.admit(integration, message.priority);
  if (admitted === "elsewhere" && canPass) return "elsewhere";
  if (typeof admitted === "string") return await returnUntried(message, deps);
  failpoint("mailer.admitted");
  if (isTooOld(message, deps)) {
    admitted.giveBack();
    return await deferTooOld(message, deps);
  }
  try {
    return await sendMessage(message, { integration, own, permit: admitted, suppressed }, deps);
  } finally {
    admitted.leave();
  }
}

/** Messages that were not tried here go back to the queue, or are rendered again. */
function verdictOf(
  { type, data, tail }: Delivery<MessagesEvent>,
  results: readonly Handled[],
  messages: readonly ReadyMessage[],
): Verdict {
  const indexesOf = (wanted: Handled) =>
    new Set(messages.filter((_, at) => results[at] === wanted).map(({ index }) => index));
  const elsewhere = indexesOf("elsewhere");
  const missing = indexesOf("content_missing");
  const left = data.messages.filter(({ index }) => elsewhere.has(index));
  const { messages: passing, ...carried } = carryTail<MailMessage>(left, tail);
  const passes = (data.passes ?? 0) + 1;
  const passed = { type, data: { ...data, messages: passing, passes }, ...carried };
  const { v, sendId: _id, accountId, priority, integrationId, insteadOf } = data;
  // Version 4 does not say whether the send has envelope fields.
  const eventVersion = v === TAIL_VERSION ? ENVELOPE_VERSION : v;
  return {
    type: "done",
    publish: [
      ...(left.length === 0 ? [] : [passed as Outgoing]),
      // The object store is a cache: missing objects are made again from the ledger.
      ...redispatchesOf(
        { _id, accountId, priority, eventVersion },
        data.messages.filter(({ index }) => missing.has(index)),
        insteadOf === undefined ? {} : { integrationId },
      ),
    ],
  };
}

/** Returns the suppressions of recipients and copies of some messages. */
async function findSuppressed(
  accountId: string,
  messages: readonly ReadyMessage[],
  deps: SendDeps,
): Promise<Suppressed> {
  const emails = messages.flatMap(({ to, envelope = {} }) => [
    to.email,
    ...copiesOf(envelope, to.email),
  ]);
  return emails.length === 0 ? new Map() : await deps.findSuppressed(accountId, emails, deps.now());
}
