import type { Step } from "@posthaste/messaging";

/** The steps of interactive requests: requests that people at the dashboard wait for. */
export interface InteractiveSteps {
  probe: Step<"probe.requested">;
  consent: Step<"consent.requested">;
}

/** Returns the step of one consumer for both: the type of the request decides which step answers. */
export function interactiveStep(
  { probe, consent }: InteractiveSteps,
): Step<"probe.requested" | "consent.requested"> {
  return {
    name: "mailer.interactive",
    handle: (delivery, signal) =>
      delivery.type === "probe.requested"
        ? probe.handle(delivery, signal)
        : consent.handle(delivery, signal),
    giveUp: (delivery, reason) =>
      delivery.type === "probe.requested"
        ? probe.giveUp(delivery, reason)
        : consent.giveUp(delivery, reason),
  };
}
