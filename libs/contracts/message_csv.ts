import { csvLine } from "./_csv_line.ts";
import type { Message } from "./documents.ts";
import type { MessageState } from "./message_state.ts";

/** The states in which a message has a cause. */
export const CAUSED_STATES = [
  "failed",
  "unknown",
  "deferred",
] as const satisfies MessageState[];

/** The first line of a file with the addresses of messages. A suppression list takes such a file. */
export const MESSAGE_CSV_HEAD = csvLine([
  ...["email", "state", "reason", "reply", "messageId", "acceptedAt"],
]);

/** The fields of a message in a file. */
export type MessageInCsv =
  & Pick<Message, "email" | "state" | "reason" | "reply" | "acceptedAt">
  & { id: string };

/** Returns the line of a message in a file: {@linkcode csvLine}. */
export function messageCsvLine(
  { id, email, state, reason, reply, acceptedAt }: MessageInCsv,
): string {
  const codes = [reply?.code, reply?.enhanced].filter((part) => part !== undefined).join(" ");
  return csvLine([
    ...[email, state, reason ?? "", reply?.response ?? codes, id, acceptedAt.toISOString()],
  ]);
}
