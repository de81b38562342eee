import { randomBytes } from "node:crypto";
import { type Integration, messageIdOf, startOf } from "@posthaste/contracts";
import { advance, beginVoid } from "@posthaste/delivery";
import { allEnded } from "@posthaste/runtime";
import { type MessageStatusEvent, type Outgoing, reportsOf } from "@posthaste/messaging";
import {
  type AttemptOutcome,
  type IntegrationCircuit,
  reasonOfPause,
  type SendHead,
  type StorePart,
  WAITING_REASON,
  type WaitingSend,
} from "@posthaste/storage";

/** The dependencies of failing expired messages. */
export type ExpiryDeps =
  & StorePart<"registers.ledgerOf" | "sends.findRecipients">
  & {
    publish(outgoing: Outgoing, trace: string | undefined): Promise<void>;
    now(): Date;
  };

/** Maximum number of messages of one send that fail together. */
export const MESSAGES_PER_ROUND = 100;

/** The integration for which messages have waited. */
export interface WaitedFor {
  integration: Integration;
  circuit: IntegrationCircuit | undefined;
}

/**
 * Fails messages of a send that have waited for their integration for the maximum time, beginning with those
 * that are next in turn.
 */
export async function endExpired(
  send: WaitingSend,
  waitedFor: WaitedFor,
  deps: ExpiryDeps & StorePart<"waiting.advanceSend">,
): Promise<void> {
  const { next, messageCount } = send;
  const to = Math.min(messageCount, next + MESSAGES_PER_ROUND);
  const messages = Array.from({ length: to - next }, (_, at) => ({ index: next + at, attempt: 0 }));
  await failExpired(send, messages, waitedFor, deps);
  // Last: if this leader is lost, the next one ends the rest.
  await deps.waiting.advanceSend(send, to, { reconcileAt: deps.now() });
}

/**
 * Fails messages of a send that have waited for their integration for the maximum time. They are neither rendered nor
 * sent. Leaves a message alone whose next attempt another process has begun or ended.
 */
export async function failExpired(
  send: SendHead,
  messages: readonly { index: number; attempt: number }[],
  { integration, circuit }: WaitedFor,
  { registers: { ledgerOf }, sends: { findRecipients }, publish, now }: ExpiryDeps,
): Promise<void> {
  const { _id: sendId, accountId, integrationId, trace } = send;
  if (messages.length === 0) return;
  const acceptedAt = startOf(send);
  const recipients = (await findRecipients([sendId])).get(sendId);
  const at = now();
  const cause = reasonOfPause(integration, circuit) ?? WAITING_REASON.busy;
  const reason = `${cause}; retries ended`;
  const failed = await allEnded(messages, async ({ index, attempt }) => {
    const email = recipients?.emails[index];
    if (email === undefined) return [];
    const messageId = messageIdOf(sendId, index);
    const message = {
      ...{ messageId, sendId, accountId, index, email, acceptedAt },
      integration: `${accountId}/${integrationId}`,
    };
    const outcome: AttemptOutcome = {
      ...{ state: "failed", at, reason },
      lines: [{ at, type: "failed", attempt, detail: reason }],
    };
    const by = randomBytes(8).toString("hex");
    const ending = await advance(beginVoid({ n: attempt + 1, by, outcome }), ledgerOf(message));
    if (ending.phase !== "end" || ending.result !== "written") return [];
    return [
      {
        type: "status.message.failed",
        data: {
          ...{ messageId, sendId, accountId, index, attempt, reason },
          ...{ at: at.toISOString(), stage: "pipeline" },
        },
      } satisfies MessageStatusEvent,
    ];
  });
  for (const report of reportsOf(failed.flat())) await publish(report, trace);
}
