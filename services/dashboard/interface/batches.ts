import type { BatchState, MessageState } from "@posthaste/contracts";

/**
 * The routes:
 *
 * | route | takes | gives |
 * | --- | --- | --- |
 * | `GET /api/batches` | `BatchQuery` | `BatchList` |
 * | `GET /api/batches/:id` | | `BatchView` |
 * | `GET /api/batches/:id/sends` | `{ before? }` | `BatchSends` |
 * | `POST /api/batches/:id/close` | | `BatchRow`; 409 `conflict` if it is canceled |
 * | `POST /api/batches/:id/cancel` | | `BatchRow` |
 *
 * Reading takes a viewer, all else an editor. Closing and canceling may be repeated.
 */

/** Filters of a list of batches, as in an address's query. */
export interface BatchQuery {
  state?: BatchState;
  /** The `next` of the previous page. */
  before?: string;
}

/** A batch without the states of its messages. */
export interface BatchRow {
  id: string;
  state: BatchState;
  /** Whether its mail leaves as soon as it is accepted, or when the batch is closed. */
  start: "close" | "now";
  createdAt: string;
  /** When it is closed (`start` is `now`) or canceled at the latest. */
  closesAt: string;
  /** When it was closed or canceled; null while it is open. */
  endedAt: string | null;
  /** The time that its sends are scheduled for; null if there is none. */
  sendAt: string | null;
  template: { id: number; version: number; name: string | null };
  integration: { id: number; name: string | null };
  recipients: number;
  /** Accepted sends: the parts that its recipients came in. */
  sends: number;
}

/** A page of batches, newest first. */
export interface BatchList {
  rows: BatchRow[];
  /** Value for `before`; null at the end. */
  next: string | null;
}

/** A batch with the states of its messages. */
export interface BatchView extends BatchRow {
  states: Partial<Record<MessageState, number>>;
  /** Whether it has ended, and every message is in a final state. */
  isSettled: boolean;
  /** Whether the time was too short to count all messages. */
  isCut: boolean;
}

/** A send of a batch. */
export interface BatchSend {
  id: string;
  acceptedAt: string;
  recipients: number;
  /** When the last of its messages reached a final state. */
  settledAt: string | null;
}

/** A page of the sends of a batch, newest first. */
export interface BatchSends {
  rows: BatchSend[];
  /** Value for `before`; null at the end. */
  next: string | null;
}
