import type { FeedEventData, FeedEventType } from "@posthaste/contracts";

/** An event that is to be in an account's feed. */
export interface NewEvent {
  /** Derived from what happened: the same thing never has two ids. */
  _id: string;
  accountId: string;
  type: FeedEventType;
  /** When it happened. */
  at: Date;
  data: FeedEventData;
}

/** An event in the feed of an account. */
export interface RecordedEvent extends NewEvent {
  /** Contiguous within the account, from 1. */
  sequence: number;
}

/** An event as it is stored: callers choose the names in `data`, so that is JSON text. */
export type StoredEvent = Omit<RecordedEvent, "data"> & { data: string; recordedAt: Date };
