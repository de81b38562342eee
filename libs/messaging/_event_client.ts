import type { JetStreamClient } from "@nats-io/jetstream";
import type { BulkShare } from "./_bulk_share.ts";
import type { Pressure } from "./_pressure.ts";
import type { Suspects } from "./_suspects.ts";

/** What the loops of this library need of a connection. */
export interface EventClient {
  stream: JetStreamClient;
  suspects: Suspects;
  /** Of all consumers of this process. */
  bulkShare: BulkShare;
  /** Of all processes of this machine. */
  pressure: Pressure;
  /** Sends an answer to an inbox, without waiting. */
  respond(inbox: string, reply: unknown): void;
}
