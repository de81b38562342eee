import type { JetStreamClient } from "@nats-io/jetstream";

/** What the loops of this library need of a connection. */
export interface EventClient {
  stream: JetStreamClient;
  /** Sends an answer to an inbox, without waiting. */
  respond(inbox: string, reply: unknown): void;
}
