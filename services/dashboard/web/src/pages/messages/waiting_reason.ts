import type { MessageRow } from "../../../../interface/messages.ts";
import { formatPlace } from "./format_place.ts";

/** Formats why a message waits for its integration, and how many go first: the cause comes first. */
export function waitingReason({ reason, ahead }: NonNullable<MessageRow["waiting"]>): string {
  return `${reason}${reason.endsWith(".") ? "" : "."} ${formatPlace(ahead)}`;
}
