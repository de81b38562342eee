import type { JetStreamClient } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import type { PoisonMessages } from "./_poison_messages.ts";

/** What the loops of this library need of a connection. */
export interface EventClient {
  connection: Pick<NatsConnection, "publish" | "subscribe">;
  stream: JetStreamClient;
  /** Where the process may listen. */
  inboxPrefix: string;
  /** Called after each reconnection: the broker may have lost the requests that it held. */
  reconnects: Set<() => void>;
  poisonMessages: PoisonMessages;
  /**
   * Sends an answer to an inbox, without waiting.
   *
   * @throws {RangeError} If it is larger than what the broker takes.
   */
  respond(inbox: string, position: number, reply: unknown): void;
}
