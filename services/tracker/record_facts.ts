import { randomBytes } from "node:crypto";
import { type EventData, parseMessageId } from "@posthaste/contracts";
import { advance, beginVoid } from "@posthaste/delivery";
import type { Fact } from "@posthaste/messaging";
import type {
  AttemptOutcome,
  DeliveryLedgers,
  MessageParking,
  SendStore,
  UntriedParking,
} from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** What recording needs from the outside. */
export interface RecordDeps
  extends
    Pick<DeliveryLedgers, "ledgerOf">,
    Pick<MessageParking, "parkUntried">,
    Pick<SendStore, "findRecipients" | "hastenSweep"> {
  logger: Pick<Logger, "warn">;
}

type Failure = EventData<"fact.message.failed">;

/**
 * Keeps the ledger's outcomes: a part of a send that has to wait is parked, and a message that failed
 * before the mailer had it ends its attempt. The mailer writes its own outcomes. Idempotent.
 */
export async function recordFacts(facts: Fact[], deps: RecordDeps): Promise<void> {
  const parked = await deps.parkUntried(
    facts.flatMap(({ type, data }) => type === "fact.send.parked" ? [parkingOf(data)] : []),
  );
  const failures = facts.flatMap(({ type, data }) =>
    type === "fact.message.failed" && data.stage !== "mailer" ? [data] : []
  );
  const unknown = await endFailed(failures, deps);
  for (const sendId of [...parked.unknown, ...unknown]) {
    deps.logger.warn("Unknown send in a fact", { sendId });
  }
}

function parkingOf(
  { sendId, accountId, integrationId, indexes, reason, at }: EventData<"fact.send.parked">,
): UntriedParking {
  const parkedFor = `${accountId}/${integrationId}`;
  return { sendId, accountId, indexes, reason, at: new Date(at), parkedFor };
}

/** Ends the attempts of messages that failed. Gives the ids of the sends that are not in the ledger. */
async function endFailed(failures: readonly Failure[], deps: RecordDeps): Promise<Set<string>> {
  const unknown = new Set<string>();
  if (failures.length === 0) return unknown;
  const recipients = await deps.findRecipients(failures.map(({ sendId }) => sendId));
  await Promise.all(failures.map(async (failure) => {
    const { messageId, sendId, accountId, attempt } = failure;
    const index = parseMessageId(messageId)?.index ?? failure.index;
    const send = recipients.get(sendId);
    const email = send?.accountId === accountId ? send.emails[index] : undefined;
    if (send === undefined || email === undefined) return void unknown.add(sendId);
    const { acceptedAt } = send;
    await advance(
      beginVoid({
        n: attempt + 1,
        by: randomBytes(8).toString("hex"),
        outcome: outcomeOf(failure),
      }),
      deps.ledgerOf({ messageId, sendId, accountId, index, email, acceptedAt }),
    );
    await deps.hastenSweep(sendId, new Date(failure.at));
  }));
  return unknown;
}

function outcomeOf({ reason, reply, at: text, attempt, durationMs }: Failure): AttemptOutcome {
  const at = new Date(text);
  const duration = durationMs === undefined ? {} : { durationMs };
  return {
    ...{ state: "failed", at, reason },
    ...(reply === undefined ? {} : { reply }),
    lines: [{ at, type: "failed", attempt, detail: reason, ...duration }],
  };
}
