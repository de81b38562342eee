import { connect } from "@nats-io/transport-node";
import type { SecretSearch } from "./secret.ts";

/** A subscriber to everything in the broker. */
export interface Eavesdropper extends AsyncDisposable {
  /** The secrets that were received, each once. */
  readonly leaks: ReadonlySet<string>;
  /** How many messages were heard. */
  readonly heard: number;
}

/**
 * Subscribes to every subject, also to messages that the broker keeps only briefly, or in memory. It
 * reconnects by itself after an outage of the broker.
 */
export async function openEavesdropper(url: string, search: SecretSearch): Promise<Eavesdropper> {
  const connection = await connect({
    servers: url.split(","),
    name: "chaos-eavesdropper",
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
  });
  const leaks = new Set<string>();
  let heard = 0;
  connection.subscribe(">", {
    callback: (error, message) => {
      if (error !== null) return;
      heard++;
      const head = [...message.headers ?? []].flat(2).join("\n");
      const body = Buffer.from(message.data.buffer, message.data.byteOffset, message.data.length);
      // The first two words of a subject, and no names of inboxes and messages.
      const about = message.subject.split(".", 2).join(".");
      for (const leak of [...search(head), ...search(body)]) {
        leaks.add(`an event "${about}" holds ${leak}`);
      }
    },
  });
  return {
    leaks,
    get heard() {
      return heard;
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
