import { messageIdOf } from "@posthaste/contracts";
import type { Resumption } from "@posthaste/messaging";
import { allEnded } from "@posthaste/runtime";
import type { AttemptKey, Flow } from "./flow.ts";

/**
 * Publishes events of a send. Their attempts are in flight from the beginning: an outcome may arrive before the
 * publication returns. What may not have been published is given up: by default it is forgotten, and found again in
 * the ledger.
 *
 * @throws What `publish` threw first, when all events have ended
 */
export async function publishInFlight(
  { accountId, integrationId: own }: { accountId: string; integrationId: number },
  events: readonly Resumption[],
  { flow, publish, giveUp = flow.release }: {
    flow: Pick<Flow, "begin" | "release">;
    publish(event: Resumption): Promise<void>;
    giveUp?(attempt: AttemptKey): void;
  },
): Promise<void> {
  await allEnded(events, async (event) => {
    const { sendId, again, integrationId = own } = event.data;
    const attempts = again.map(({ index, attempt }) => ({
      messageId: messageIdOf(sendId, index),
      attempt,
    }));
    for (const attempt of attempts) flow.begin(`${accountId}/${integrationId}`, attempt);
    try {
      await publish(event);
    } catch (error) {
      for (const attempt of attempts) giveUp(attempt);
      throw error;
    }
  });
}
