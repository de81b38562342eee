import type { EventData } from "@posthaste/contracts";
import type { Fact } from "@posthaste/messaging";
import type {
  FactFold,
  MessageParking,
  MessageStore,
  RecordedFact,
  UntriedParking,
} from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** What recording needs from the outside. */
export interface RecordDeps
  extends FactFold, Pick<MessageStore, "materializeSends">, Pick<MessageParking, "parkUntried"> {
  logger: Pick<Logger, "warn">;
}

/**
 * Keeps the ledger's timelines: an accepted send gets its messages' documents, a part of one that has
 * to wait is parked, and what the renderer and the printer tell is folded in. The mailer writes its own
 * outcomes. Idempotent.
 */
export async function recordFacts(facts: Fact[], deps: RecordDeps): Promise<void> {
  const accepted = facts.flatMap(({ type, data }) => type === "fact.send.accepted" ? [data] : []);
  const made = await deps.materializeSends(accepted.map(({ sendId }) => sendId));
  const parked = await deps.parkUntried(
    facts.flatMap(({ type, data }) => type === "fact.send.parked" ? [parkingOf(data)] : []),
  );
  for (const sendId of [...made.unknown, ...parked.unknown]) {
    deps.logger.warn("Unknown send in a fact", { sendId });
  }
  const { orphans } = await deps.recordFacts(facts.filter(isRecorded));
  for (const messageId of orphans) deps.logger.warn("Unknown message in a fact", { messageId });
}

function parkingOf(
  { sendId, accountId, integrationId, indexes, reason, at }: EventData<"fact.send.parked">,
): UntriedParking {
  const parkedFor = `${accountId}/${integrationId}`;
  return { sendId, accountId, indexes, reason, at: new Date(at), parkedFor };
}

function isRecorded(fact: Fact): fact is Fact & RecordedFact {
  return fact.type === "fact.message.rendered" || fact.type === "fact.message.printed" ||
    fact.type === "fact.message.failed";
}
