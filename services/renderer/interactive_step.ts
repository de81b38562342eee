import type { Step } from "@posthaste/messaging";

/** The steps of interactive requests: requests that people at the dashboard wait for. */
export interface InteractiveSteps {
  preview: Step<"preview.requested">;
  content: Step<"content.requested">;
}

/** Returns the step of one consumer for both: the type of the request decides which step answers. */
export function interactiveStep(
  { preview, content }: InteractiveSteps,
): Step<"preview.requested" | "content.requested"> {
  return {
    name: "renderer.interactive",
    handle: (delivery, signal) =>
      delivery.type === "preview.requested"
        ? preview.handle(delivery, signal)
        : content.handle(delivery, signal),
    giveUp: (delivery, reason) =>
      delivery.type === "preview.requested"
        ? preview.giveUp(delivery, reason)
        : content.giveUp(delivery, reason),
  };
}
