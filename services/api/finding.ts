import type { BatchStates, BatchStore, Store } from "@posthaste/storage";

/**
 * The operations that list and change messages. The routes call them through the ledger of their
 * request.
 */
export interface Finding {
  searchMessages: Store["messages"]["search"];
  labelsOfFound: Store["messages"]["labelsOfFound"];
  groupReasons: Store["messages"]["groupReasons"];
  rescheduleSend: Store["waiting"]["rescheduleSend"];
  noteAudit: Store["audit"]["note"];
  listEvents: Store["events"]["list"];
  feedBounds: Store["events"]["bounds"];
  grownFeeds: Store["events"]["grown"];
  searchSends: Store["sends"]["search"];
  cancelMessage: Store["messages"]["cancel"];
  cancelSend: Store["messages"]["cancelSend"];
  cancelSome: Store["messages"]["cancelSome"];
  retryMessage: Store["messages"]["retry"];
  batches: BatchStore & BatchStates;
  /** Returns which addresses are suppressed, from memory for accounts without a list. */
  amongSuppressed: Store["suppressions"]["among"];
  listSuppressions: Store["suppressions"]["list"];
  addSuppressions: Store["suppressions"]["add"];
  removeSuppressions: Store["suppressions"]["remove"];
}
