import type { JetStreamClient } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { type Tries, UNTRIED } from "./step.ts";

/** The bucket that holds the counts. */
export const POISON_BUCKET = "poison";

/**
 * Counts the tries of events that are redelivered often: one of them may be a poison message, which ends its
 * worker.
 */
export interface PoisonMessages {
  /**
   * Records that work on an event begins: until {@linkcode end}, its worker counts as lost. Returns the
   * earlier count; `undefined` if the broker cannot answer.
   */
  begin(key: string): Promise<Tries | undefined>;
  /** Records that work on an event failed although its worker survived. */
  end(key: string, how: "failed" | "interrupted"): Promise<void>;
}

/** Opens the counts; the bucket is looked up at its first use. */
export function openPoisonMessages(client: JetStreamClient): PoisonMessages {
  let opened: Promise<KV> | undefined;

  /** Changes a count and returns its earlier value. */
  async function update(key: string, change: (tries: Tries) => Tries): Promise<Tries | undefined> {
    try {
      opened ??= new Kvm(client).open(POISON_BUCKET);
      const bucket = await opened;
      const known = (await bucket.get(key))?.json<Tries>() ?? UNTRIED;
      const changed = change(known);
      if (changed !== known) await bucket.put(key, JSON.stringify(changed));
      return known;
    } catch {
      opened = undefined;
      return undefined;
    }
  }

  return {
    begin: (key) => update(key, ({ failed, lost }) => ({ failed, lost: lost + 1 })),
    async end(key, how) {
      await update(key, (known) => {
        const lost = Math.max(0, known.lost - 1);
        if (how === "failed") return { failed: known.failed + 1, lost };
        return lost === known.lost ? known : { ...known, lost };
      });
    },
  };
}
