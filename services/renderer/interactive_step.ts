import type { Step } from "@posthaste/messaging";

/** The steps of interactive requests: what people at the dashboard wait for. */
export interface InteractiveSteps {
  preview: Step<"preview.requested">;
  content: Step<"content.requested">;
}

/** The step of one consumer that brings both: what is asked decides who answers. */
export function interactiveStep(
  { preview, content }: InteractiveSteps,
): Step<"preview.requested" | "content.requested"> {
  return {
    name: "renderer.desk",
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
