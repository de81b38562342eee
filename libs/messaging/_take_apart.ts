import { carryTail } from "./tail.ts";
import type { Delivery, Outgoing } from "./step.ts";
import type { EventType } from "@posthaste/contracts";

/** Fields of events that list messages of one send. */
const LISTS = ["messages", "recipients", "again"] as const;

/**
 * Splits an event of several messages into one event for each. A message that cannot be processed then fails
 * alone, and one that ends its worker is found. Returns an empty list if there is only one message.
 */
export function takeApart<T extends EventType>({ type, data, tail }: Delivery<T>): Outgoing[] {
  const fields = data as Record<string, unknown>;
  for (const name of LISTS) {
    const list = fields[name];
    if (!Array.isArray(list) || list.length < 2) continue;
    return list.map((one: object) => {
      const { messages, ...carried } = carryTail([one], tail);
      const data = { ...fields, [name]: messages, redelivered: true };
      return { type, data, ...carried } as unknown as Outgoing;
    });
  }
  return [];
}
