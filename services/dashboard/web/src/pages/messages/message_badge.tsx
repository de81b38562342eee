import { StatePill } from "../../parts/state_pill.tsx";
import { lookOfMessage, type MessageState } from "./message_look.ts";

/** Shows a message's state as a word with a sign. */
export function MessageBadge({ state, isWaiting = false }: {
  state: MessageState;
  isWaiting?: boolean;
}) {
  return <StatePill {...lookOfMessage(state, isWaiting)} />;
}
