import type { EventMessage } from "./_event_message.ts";

/** The events that one reader has from the broker and has not ended. They are reported as in progress. */
export class HeldEvents implements Disposable {
  readonly #events = new Map<string, EventMessage>();
  #everyMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Reports every third of an ack wait, in milliseconds, until disposal. */
  reportWithin(ackWaitMs: number): void {
    const everyMs = ackWaitMs / 3;
    // The ack wait is read again after each reconnection. A timer that restarts each time might never fire.
    if (everyMs === this.#everyMs) return;
    this.#everyMs = everyMs;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      for (const message of this.#events.values()) message.working();
    }, everyMs);
  }

  /**
   * Adds an event. Returns `false` for a redelivery of one that is held: this process was too busy to report
   * progress, or the broker was away. The first delivery acknowledges it, and no worker was lost.
   */
  add(message: EventMessage): boolean {
    if (this.#events.has(message.key)) return false;
    this.#events.set(message.key, message);
    return true;
  }

  /** Removes an event that is acknowledged or given back. */
  end({ key }: EventMessage): void {
    this.#events.delete(key);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
