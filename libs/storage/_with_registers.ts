import type { Message } from "@posthaste/contracts";
import { isWanted, nextAttempt } from "@posthaste/delivery";
import { type DeliveryLedgers, outcomeOf } from "./delivery_ledger.ts";

/**
 * Returns messages in the state that their registers show: a message with a register and no outcome is being
 * sent.
 */
export async function withRegisters<T extends Pick<Message, "_id" | "attempt" | "state">>(
  found: readonly T[],
  { find: findRegisters }: Pick<DeliveryLedgers, "find">,
): Promise<T[]> {
  const open = found.filter((message) => isWanted(outcomeOf(message)));
  if (open.length === 0) return [...found];
  const registers = await findRegisters(
    open.map((message) => ({ messageId: message._id, n: nextAttempt(outcomeOf(message)) })),
  );
  return found.map((message) => {
    const n = nextAttempt(outcomeOf(message));
    const known = isWanted(outcomeOf(message)) && registers.get(`${message._id}/${n}`);
    return known && "dot" in known.register ? { ...message, state: "sending" } : message;
  });
}
