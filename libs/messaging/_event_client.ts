import type { JetStreamClient } from "@nats-io/jetstream";
import type { Suspects } from "./_suspects.ts";

/** What the loops of this library need of a connection. */
export interface EventClient {
  stream: JetStreamClient;
  suspects: Suspects;
  /** Sends an answer to an inbox, without waiting. */
  respond(inbox: string, reply: unknown): void;
}
