import type { MessageCancel, MessageRetry, MessageSearch, SendSearch } from "@posthaste/storage";

/** What lists and changes messages. The routes call it through the ledger of their request. */
export interface Finding
  extends
    Pick<MessageSearch, "searchMessages" | "labelsOfFound">,
    SendSearch,
    MessageCancel,
    MessageRetry {}
