import type {
  EmailVersion,
  EventData,
  RenderReply,
  RequestedRecipient,
  Variables,
} from "@posthaste/contracts";
import type { Step } from "@posthaste/messaging";
import { recordDuration } from "@posthaste/telemetry";
import { type FillResult, type Sandbox, withDefaults } from "@posthaste/templating";
import { readFills, templatesOf } from "./render_message.ts";

/** There is no recipient. */
const NOBODY: RequestedRecipient = { index: 0, attempt: 0, email: "" };

/** The dependencies of the step. */
export interface RenderNowDeps {
  emailVersion(accountId: string, id: number, version: number): Promise<EmailVersion | null>;
  fill: Sandbox["fill"];
}

/** Renders a template for clients that wait. Each gets its answer as soon as it is ready. */
export function renderNowStep(deps: RenderNowDeps): Step<"render.requested"> {
  return {
    name: "renderer.render_now",
    handle: async ({ data }) => {
      const email = await deps.emailVersion(data.accountId, data.templateId, data.version);
      if (email === null) return { type: "fail", reason: "the template's version is missing" };
      const templates = templatesOf({ email, pdfs: new Map() }, new Set([data.locale]));
      const replies = variablesIn(data).map(async (variables): Promise<RenderReply> => {
        const started = performance.now();
        const results = await deps.fill({
          templates,
          fills: [{ data: withDefaults(email.variables, variables) }],
          owner: data.accountId,
          urgent: true,
        });
        recordDuration("posthaste.render.duration", (performance.now() - started) / 1000);
        return replyOf(results);
      });
      return { type: "done", publish: [], replies };
    },
    giveUp: ({ data }, reason) => ({
      publish: [],
      replies: variablesIn(data).map(() =>
        ({ ok: false, reason, timedOut: false }) satisfies RenderReply
      ),
    }),
  };
}

function variablesIn({ variables, others = [] }: EventData<"render.requested">): Variables[] {
  return [variables, ...others];
}

function replyOf(results: FillResult[]): RenderReply {
  const rendered = readFills({ recipient: NOBODY, fills: [] }, results);
  if (rendered.ok) {
    return { ok: true, subject: rendered.subject, html: rendered.html, text: rendered.text };
  }
  const timedOut = results.some((result) =>
    !result.ok && (result.error.code === "timeout" || result.error.code === "busy")
  );
  return { ok: false, reason: rendered.reason, timedOut };
}
