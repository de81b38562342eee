import type { EmailVersion, RenderReply } from "@posthaste/contracts";
import type { Step } from "@posthaste/messaging";
import { recordDuration } from "@posthaste/telemetry";
import { type Cage, withDefaults } from "@posthaste/templating";
import { readFills, templatesOf } from "./render_message.ts";

/** What the step needs from the outside. */
export interface RenderNowDeps {
  emailVersion(accountId: string, id: number, version: number): Promise<EmailVersion | null>;
  fill: Cage["fill"];
}

/** Renders a template for a client that waits for the answer. */
export function renderNowStep(deps: RenderNowDeps): Step<"render.requested"> {
  return {
    name: "renderer.render_now",
    handle: async ({ data }) => {
      const started = performance.now();
      const email = await deps.emailVersion(data.accountId, data.templateId, data.version);
      if (email === null) return { type: "fail", reason: "the template's version is missing" };
      const recipient = { index: 0, attempt: 0, email: "" };
      const results = await deps.fill({
        templates: templatesOf({ email, pdfs: new Map() }),
        fills: [{ data: withDefaults(email.variables, data.variables) }],
        owner: data.accountId,
        urgent: true,
      });
      const rendered = readFills({ recipient, fills: [] }, results);
      recordDuration("posthaste.render.duration", (performance.now() - started) / 1000);
      const timedOut = results.some((result) =>
        !result.ok && (result.error.code === "timeout" || result.error.code === "busy")
      );
      const reply: RenderReply = rendered.ok
        ? { ok: true, subject: rendered.subject, html: rendered.html, text: rendered.text }
        : { ok: false, reason: rendered.reason, timedOut };
      return { type: "done", publish: [], reply };
    },
    giveUp: (_, reason) => ({
      publish: [],
      reply: { ok: false, reason, timedOut: false } satisfies RenderReply,
    }),
  };
}
