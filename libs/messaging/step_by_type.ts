import type { EventType } from "@posthaste/contracts";
import type { Step } from "./step.ts";

/**
 * Returns one step for events of several types, for a consumer that gets them all. The type of an event decides
 * which step handles it.
 *
 * @param name The name in spans and logs. Those of `steps` are not used.
 */
export function stepByType<T extends EventType>(
  name: string,
  steps: { readonly [K in T]: Step<K> },
): Step<T> {
  return {
    name,
    handle: (delivery, signal, place) => steps[delivery.type].handle(delivery, signal, place),
    giveUp: (delivery, reason) => steps[delivery.type].giveUp(delivery, reason),
  };
}
