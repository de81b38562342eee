import { randomBytes } from "node:crypto";
import { type Integration, messageIdOf, startOf } from "@posthaste/contracts";
import { advance, beginVoid } from "@posthaste/delivery";
import { type MessageStatusEvent, type Outgoing, reportsOf } from "@posthaste/messaging";
import {
  type AttemptOutcome,
  type IntegrationCircuit,
  reasonOfPause,
  type StorePart,
  WAITING_REASON,
  type WaitingSend,
} from "@posthaste/storage";

/** The dependencies of ending expired sends. */
export type ExpiryDeps =
  & StorePart<"registers.ledgerOf" | "sends.findRecipients" | "waiting.advanceSend">
  & {
    publish(outgoing: Outgoing, trace: string | undefined): Promise<void>;
    now(): Date;
  };

const MESSAGES_PER_ROUND = 100;

/**
 * Fails messages of a send that have waited for their integration for the maximum time, beginning with those
 * that are next in turn.
 */
export async function endExpired(
  send: WaitingSend,
  { integration, circuit }: {
    integration: Integration;
    circuit: IntegrationCircuit | undefined;
  },
  { registers: { ledgerOf }, sends: { findRecipients }, waiting: { advanceSend }, publish, now }:
    ExpiryDeps,
): Promise<void> {
  const { _id: sendId, accountId, integrationId, next, messageCount, trace } = send;
  const acceptedAt = startOf(send);
  const recipients = (await findRecipients([sendId])).get(sendId);
  const to = Math.min(messageCount, next + MESSAGES_PER_ROUND);
  const at = now();
  const cause = reasonOfPause(integration, circuit) ?? WAITING_REASON.busy;
  const reason = `${cause}; retries ended`;
  const statusEvents: MessageStatusEvent[] = [];
  for (let index = next; index < to; index++) {
    const email = recipients?.emails[index];
    if (email === undefined) continue;
    const messageId = messageIdOf(sendId, index);
    const message = {
      ...{ messageId, sendId, accountId, index, email, acceptedAt },
      integration: `${accountId}/${integrationId}`,
    };
    const outcome: AttemptOutcome = {
      ...{ state: "failed", at, reason },
      lines: [{ at, type: "failed", attempt: 0, detail: reason }],
    };
    const by = randomBytes(8).toString("hex");
    await advance(beginVoid({ n: 1, by, outcome }), ledgerOf(message));
    statusEvents.push({
      type: "status.message.failed",
      data: {
        ...{ messageId, sendId, accountId, index, attempt: 0, reason },
        ...{ at: at.toISOString(), stage: "pipeline" },
      },
    });
  }
  for (const report of reportsOf(statusEvents)) await publish(report, trace);
  // Last: if this leader is lost, the next one ends the rest.
  await advanceSend(send, to, { reconcileAt: at });
}
