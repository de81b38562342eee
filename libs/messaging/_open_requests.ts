import type { Subscription } from "@nats-io/nats-core";
import { openTimeLimit } from "@posthaste/runtime";

/** A request for events that has not ended. */
export interface OpenRequest {
  /** Brings the events that answer this request, and no others. */
  readonly subscription: Subscription;
  timeLimit: Disposable;
  /** Maximum number of events that it may still bring. */
  left: number;
  /** Whether its time is over. It is still heard: the broker may be late. */
  isLate: boolean;
  /** Whether the broker may have forgotten it. */
  isPerhapsLost: boolean;
}

/**
 * The requests for events that have not ended.
 *
 * The broker serves the requests of a consumer in turns, and says nothing when one has brought all. Therefore each has
 * a subscription of its own, which tells to which of them an event belongs.
 */
export class OpenRequests {
  readonly #requests = new Set<OpenRequest>();

  /** Maximum number of events that they may still bring, without those that may be lost. */
  get awaited(): number {
    return this.#left((request) => !request.isPerhapsLost);
  }

  /** Maximum number of events that they may still bring. */
  get possible(): number {
    return this.#left(() => true);
  }

  #left(counts: (request: OpenRequest) => boolean): number {
    let left = 0;
    for (const request of this.#requests) {
      if (!request.isLate && counts(request)) left += request.left;
    }
    return left;
  }

  /**
   * Adds a request. After `timeoutMs` its answer is lost, or late, and it counts no longer. It ends after as much again.
   */
  add(
    subscription: Subscription,
    { batch, timeoutMs, onLate }: { batch: number; timeoutMs: number; onLate: () => void },
  ): OpenRequest {
    const timeLimit = openTimeLimit(timeoutMs, () => {
      request.isLate = true;
      request.timeLimit = openTimeLimit(timeoutMs, () => void this.#drain(request));
      onLate();
    });
    const request = {
      ...{ subscription, timeLimit, left: batch },
      ...{ isLate: false, isPerhapsLost: false },
    };
    this.#requests.add(request);
    return request;
  }

  /** Counts an event of a request, which ends with its last one. */
  countEvent(request: OpenRequest): void {
    if (--request.left === 0) this.end(request);
  }

  /** Ends a request for which nothing can be on its way. */
  end(request: OpenRequest): void {
    this.#forget(request);
    request.subscription.unsubscribe();
  }

  /** Notes that all may be lost. The broker may still serve them until they expire. */
  expectLoss(): void {
    for (const request of this.#requests) request.isPerhapsLost = true;
  }

  /** Ends all. Resolves when all that the broker had sent has arrived. */
  async drain(): Promise<void> {
    await Promise.all([...this.#requests].map((request) => this.#drain(request)));
  }

  /** Ends a request. What the broker has sent still arrives, but not what it sends in this moment. */
  async #drain(request: OpenRequest): Promise<void> {
    this.#forget(request);
    try {
      await request.subscription.drain();
    } catch {
      // The connection has ended, and nothing can arrive.
    }
  }

  #forget(request: OpenRequest): void {
    request.timeLimit[Symbol.dispose]();
    this.#requests.delete(request);
  }
}
