import { openTimeLimit } from "@posthaste/runtime";

/** Requests of one connection to the broker. */
interface Group {
  /** Events that were asked for by those that are open. */
  asked: number;
  /** Maximum number of events that they may still bring. */
  left: number;
}

interface OpenRequest {
  batch: number;
  limit: Disposable;
  group: Group;
}

/**
 * The requests for events that have not ended, by the inboxes of their answers.
 *
 * The broker serves them in turns, and does not say which one an event answers. It says how many events one had left
 * when it expired, and nothing when it has brought all. So they are counted together, and each stays until its answer
 * or its time limit.
 */
export class OpenRequests {
  readonly #requests = new Map<string, OpenRequest>();
  #current: Group = { asked: 0, left: 0 };
  #perhapsLost: Group = { asked: 0, left: 0 };

  /** Maximum number of events that they may still bring, without those that may be lost. */
  get awaited(): number {
    return this.#current.left;
  }

  /** Maximum number of events that they may still bring. */
  get possible(): number {
    return this.#current.left + this.#perhapsLost.left;
  }

  /** Adds a request. It ends after `timeoutMs`: without an answer by then it has brought all, or is lost. */
  add(
    inbox: string,
    { batch, timeoutMs, onLate }: { batch: number; timeoutMs: number; onLate: () => void },
  ): void {
    const limit = openTimeLimit(timeoutMs, () => {
      this.end(inbox, 0);
      onLate();
    });
    const group = this.#current;
    this.#requests.set(inbox, { batch, limit, group });
    group.asked += batch;
    group.left += batch;
  }

  /** Counts an event. */
  countEvent(): void {
    const group = this.#current.left > 0 ? this.#current : this.#perhapsLost;
    group.left = Math.max(0, group.left - 1);
  }

  /**
   * Ends a request. Returns whether it was open.
   *
   * @param left Events that it has not brought. @default all that it asked for
   */
  end(inbox: string, left?: number): boolean {
    const request = this.#requests.get(inbox);
    if (request === undefined) return false;
    const { batch, limit, group } = request;
    limit[Symbol.dispose]();
    this.#requests.delete(inbox);
    group.asked -= batch;
    // The others bring no more than they asked for.
    group.left = Math.min(group.asked, Math.max(0, group.left - (left ?? batch)));
    return true;
  }

  /** Notes that all may be lost. The broker may still serve them until they expire. */
  expectLoss(): void {
    this.#perhapsLost = {
      asked: this.#perhapsLost.asked + this.#current.asked,
      left: this.possible,
    };
    this.#current = { asked: 0, left: 0 };
    for (const request of this.#requests.values()) request.group = this.#perhapsLost;
  }

  clear(): void {
    for (const inbox of [...this.#requests.keys()]) this.end(inbox);
  }
}
