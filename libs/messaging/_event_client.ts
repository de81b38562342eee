import type { JetStreamClient } from "@nats-io/jetstream";
import type { Suspects } from "./_suspects.ts";

/** What the loops of this library need of a connection. */
export interface EventClient {
  stream: JetStreamClient;
  suspects: Suspects;
  /** Sends an answer to one of those who wait at an inbox, without waiting. */
  respond(inbox: string, position: number, reply: unknown): void;
}
