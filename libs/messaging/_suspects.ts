import type { NatsConnection } from "@nats-io/nats-core";
import { type KV, Kvm } from "@nats-io/kv";

/** The bucket that the counts lie in. */
export const SUSPECTS_BUCKET = "suspects";

/** Counts how often events were begun that came again and again: one of them may end its worker. */
export interface Suspects {
  /**
   * Notes that work on an event begins, and gives how often that was noted, this time included.
   * `undefined` where the broker cannot tell.
   */
  begin(key: string): Promise<number | undefined>;
}

/** Opens the counts; the bucket is looked up at its first use. */
export function openSuspects(connection: NatsConnection): Suspects {
  let opened: Promise<KV> | undefined;
  return {
    async begin(key) {
      try {
        opened ??= new Kvm(connection).open(SUSPECTS_BUCKET);
        const bucket = await opened;
        const known = await bucket.get(key);
        const begun = (known === null ? 0 : Number(known.string())) + 1;
        await bucket.put(key, String(begun));
        return begun;
      } catch {
        opened = undefined;
        return undefined;
      }
    },
  };
}
