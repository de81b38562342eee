import type { JetStreamManager } from "@nats-io/jetstream";
import { STREAMS } from "./topology.ts";

/**
 * Removes all work from the streams, with the retries that wait in them: the ledger says what must be done
 * again. Status events stay. For operators: services may not purge a stream. Returns the number of removed
 * events.
 */
export async function emptyQueues(manager: JetStreamManager): Promise<number> {
  let emptied = 0;
  for (const { name, retention } of STREAMS) {
    if (retention === "work") emptied += (await manager.streams.purge(name)).purged;
  }
  return emptied;
}
