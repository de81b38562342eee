import type { JetStreamClient } from "@nats-io/jetstream";
import type { PoisonMessages } from "./_poison_messages.ts";

/** What the loops of this library need of a connection. */
export interface EventClient {
  stream: JetStreamClient;
  poisonMessages: PoisonMessages;
  /**
   * Sends an answer to an inbox, without waiting.
   *
   * @throws {RangeError} If it is larger than what the broker takes.
   */
  respond(inbox: string, position: number, reply: unknown): void;
}
