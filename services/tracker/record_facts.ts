import type { Send } from "@posthaste/contracts";
import type { Fact } from "@posthaste/messaging";
import type { FactFold, MessageParking, MessageStore, RecordedFact } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** What recording needs from the outside. */
export interface RecordDeps
  extends FactFold, Pick<MessageStore, "materializeMessages">, Pick<MessageParking, "parkUntried"> {
  loadSend(id: string): Promise<Send | null>;
  logger: Pick<Logger, "warn">;
}

/**
 * Keeps the ledger's timelines: an accepted send gets its messages' documents, a part of one that has
 * to wait is parked, and what the renderer and the printer tell is folded in. The mailer writes its own
 * outcomes. Idempotent.
 */
export async function recordFacts(facts: Fact[], deps: RecordDeps): Promise<void> {
  for (const fact of facts) {
    if (fact.type !== "fact.send.accepted") continue;
    const send = await deps.loadSend(fact.data.sendId);
    if (send === null) deps.logger.warn("Unknown send in a fact", { sendId: fact.data.sendId });
    else await deps.materializeMessages(send);
  }
  for (const fact of facts) {
    if (fact.type !== "fact.send.parked") continue;
    const { sendId, accountId, indexes, integrationId, reason, at } = fact.data;
    const parking = { sendId, accountId, indexes, reason, at: new Date(at) };
    const parkedFor = `${accountId}/${integrationId}`;
    const isKnown = await deps.parkUntried({ ...parking, parkedFor });
    if (!isKnown) deps.logger.warn("Unknown send in a fact", { sendId });
  }
  const { orphans } = await deps.recordFacts(facts.filter(isRecorded));
  for (const messageId of orphans) deps.logger.warn("Unknown message in a fact", { messageId });
}

function isRecorded(fact: Fact): fact is Fact & RecordedFact {
  return fact.type === "fact.message.rendered" || fact.type === "fact.message.printed" ||
    fact.type === "fact.message.failed";
}
