import type { JetStreamManager } from "@nats-io/jetstream";
import { STREAMS } from "./topology.ts";

/**
 * Removes all work from the streams, and the retries that wait in them: the ledger says what is to be done
 * again. Status events stay. An operator's work; services may not empty a stream. Gives how many events it were.
 */
export async function emptyQueues(manager: JetStreamManager): Promise<number> {
  let emptied = 0;
  for (const { name, retention } of STREAMS) {
    if (retention === "work") emptied += (await manager.streams.purge(name)).purged;
  }
  return emptied;
}
