import { openTimeLimit } from "@posthaste/runtime";

interface OpenRequest {
  /** Maximum number of events that it may still bring. */
  left: number;
  limit: Disposable;
  /** Whether the broker may have lost it with the connection. */
  isPerhapsLost: boolean;
}

const MAX_SERVED = 1000;

/** The requests for events that the broker has not ended, the oldest first, by the inboxes of their answers. */
export class OpenRequests {
  readonly #requests = new Map<string, OpenRequest>();
  /** The last ones for which as many events have come as they asked for. The broker may still count some as left. */
  readonly #served = new Set<string>();

  /** Maximum number of events that they may still bring, without those that may be lost. */
  get awaited(): number {
    return this.#requests.values().reduce(
      (sum, { left, isPerhapsLost }) => isPerhapsLost ? sum : sum + left,
      0,
    );
  }

  /** Maximum number of events that they may still bring. */
  get possible(): number {
    return this.#requests.values().reduce((sum, { left }) => sum + left, 0);
  }

  /** Adds a request. It ends after `timeoutMs`: without an answer by then it is lost. */
  add(inbox: string, request: { batch: number; timeoutMs: number; onLate: () => void }): void {
    const limit = openTimeLimit(request.timeoutMs, () => {
      this.end(inbox);
      request.onLate();
    });
    this.#requests.set(inbox, { left: request.batch, limit, isPerhapsLost: false });
  }

  /**
   * Counts an event. The broker does not say which request it answers, so it counts for the oldest. If that is
   * wrong, the time limit of the other one corrects it.
   */
  countEvent(): void {
    const requests = [...this.#requests];
    const oldest = requests.find(([, { isPerhapsLost }]) => !isPerhapsLost) ?? requests[0];
    if (oldest === undefined || --oldest[1].left > 0) return;
    this.end(oldest[0]);
    this.#served.add(oldest[0]);
    const [first] = this.#served;
    if (this.#served.size > MAX_SERVED && first !== undefined) this.#served.delete(first);
  }

  /**
   * Ends a request that expired with events left, as the broker says. It serves open requests in turns: of those events,
   * some may have been counted for this request, and are then left in others that the broker has served.
   */
  expire(inbox: string, left: number): void {
    const counted = this.#requests.get(inbox)?.left ?? 0;
    // One that counted as lost is not counted any more.
    if (!this.end(inbox) && !this.#served.delete(inbox)) return;
    for (let more = left - counted; more > 0; more--) this.countEvent();
  }

  /** Returns whether the request was open. */
  end(inbox: string): boolean {
    this.#requests.get(inbox)?.limit[Symbol.dispose]();
    return this.#requests.delete(inbox);
  }

  /** Notes that all may be lost. The broker may still serve them until they expire. */
  expectLoss(): void {
    for (const request of this.#requests.values()) request.isPerhapsLost = true;
  }

  clear(): void {
    for (const inbox of [...this.#requests.keys()]) this.end(inbox);
  }
}
