import { carryTail } from "./carry_tail.ts";
import type { Delivery, Outgoing } from "./step.ts";
import type { EventType } from "@posthaste/contracts";

/** Fields of events that list messages of one send. */
const LISTS = ["messages", "recipients", "again"] as const;

/**
 * Takes an event of several messages apart: one event for each of them. So one that cannot be dealt with
 * fails alone, and what ends its worker is found. Returns nothing if there are no several.
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
