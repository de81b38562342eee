import {
  type EmailVersion,
  type EventData,
  messageIdOf,
  type PdfVersion,
  type RequestedRecipient,
  type Send,
} from "@posthaste/contracts";
import type { Outgoing, Step, Verdict } from "@posthaste/messaging";
import { addSpanAttributes, recordDuration } from "@posthaste/telemetry";
import type { Cage } from "@posthaste/templating";
import { packContents, type StoreContent } from "./event_content.ts";
import { pdfFilename } from "./pdf_filename.ts";
import {
  type MessagePlan,
  planMessage,
  readFills,
  type RenderedMessage,
  templatesOf,
  type Versions,
} from "./render_message.ts";

/** What the step needs from the outside. */
export interface RenderDeps {
  emailVersion(accountId: string, id: number, version: number): Promise<EmailVersion | null>;
  pdfVersion(accountId: string, id: number, version: number): Promise<PdfVersion | null>;
  loadSend(id: string): Promise<Send | null>;
  fill: Cage["fill"];
  storeContent: StoreContent;
  now(): Date;
}

type Requested = EventData<"send.requested">;

/** Turns a requested send, or a part of one, into rendered messages: one event per recipient. */
export function renderStep(deps: RenderDeps): Step<"send.requested"> {
  return {
    name: "renderer.render",
    handle: async ({ data }) => {
      const started = performance.now();
      const asked = await recipientsOf(data, deps);
      if (asked === undefined) return { type: "fail", reason: "the send is not in the ledger" };
      const versions = await versionsOf(data, asked.recipients, deps);
      if (typeof versions === "string") return giveUpAll(data, asked.recipients, versions, deps);
      addSpanAttributes({
        "posthaste.send.id": data.sendId,
        "posthaste.recipient.count": asked.recipients.length,
      });
      const plans = asked.recipients.map((recipient) =>
        planMessage(recipient, asked.variables, versions)
      );
      const results = await deps.fill({
        templates: templatesOf(versions),
        fills: plans.flatMap(({ fills }) => fills),
      });
      const rendered = plans.map((plan) => readFills(plan, results.splice(0, plan.fills.length)));
      const durationMs = (performance.now() - started) / plans.length;
      recordDuration("posthaste.render.duration", durationMs / 1000);
      return await verdictOf({ data, plans, rendered, versions, durationMs }, deps);
    },
    giveUp: ({ data }, reason) => ({
      publish: idsOf(data).map((recipient) => failure(data, recipient, reason, deps.now())),
    }),
  };
}

async function recipientsOf(data: Requested, deps: RenderDeps) {
  if (data.recipients) return { variables: data.variables, recipients: data.recipients };
  const send = await deps.loadSend(data.sendId);
  if (send === null) return undefined;
  const wanted = data.again ?? send.request.to.map((_, index) => ({ index, attempt: 0 }));
  const recipients = wanted.flatMap(({ index, attempt }): RequestedRecipient[] => {
    const recipient = send.request.to[index];
    return recipient ? [{ index, attempt, ...recipient }] : [];
  });
  return { variables: send.request.variables, recipients };
}

/** Finds the pinned versions, or says which one is missing. */
async function versionsOf(
  data: Requested,
  recipients: RequestedRecipient[],
  deps: RenderDeps,
): Promise<Versions | string> {
  const { accountId, template } = data;
  const email = await deps.emailVersion(accountId, template.id, template.version);
  if (email === null) return `version ${template.version} of template ${template.id} is missing`;
  const pdfs = new Map<number, PdfVersion>();
  const ids = recipients.flatMap(({ attachments }) => (attachments ?? []).map(({ id }) => id));
  for (const id of new Set(ids)) {
    const pdf = await deps.pdfVersion(accountId, id, data.pdfVersions[id] ?? 0);
    if (pdf === null) return `the pinned version of PDF template ${id} is missing`;
    pdfs.set(id, pdf);
  }
  return { email, pdfs };
}

interface Work {
  data: Requested;
  plans: MessagePlan[];
  rendered: RenderedMessage[];
  versions: Versions;
  durationMs: number;
}

async function verdictOf(work: Work, deps: RenderDeps): Promise<Verdict> {
  const { data, plans, rendered, versions, durationMs } = work;
  const publish: Outgoing[] = [];
  for (const [position, { recipient }] of plans.entries()) {
    const message = rendered[position];
    if (message === undefined) continue;
    if (message.ok) {
      publish.push(await renderedEvent(data, { recipient, message, versions }, deps.storeContent));
      publish.push({
        type: "fact.message.rendered",
        data: { ...factOf(data, recipient, deps.now()), durationMs },
      });
    } else if (message.outage) {
      return { type: "retry", reason: new Error(message.reason), outage: true };
    } else {
      publish.push(failure(data, recipient, message.reason, deps.now()));
    }
  }
  return { type: "done", publish };
}

async function renderedEvent(
  data: Requested,
  { recipient, message, versions }: {
    recipient: RequestedRecipient;
    message: RenderedMessage & { ok: true };
    versions: Versions;
  },
  store: StoreContent,
): Promise<Outgoing> {
  const texts = [message.html, message.text, ...message.pdfs.map(({ html }) => html)];
  const [html, text, ...pdfContents] = await packContents(texts, store);
  const { sendId, accountId, lane, acceptedAt, integrationId, from } = data;
  const { index, attempt, email, name } = recipient;
  return {
    type: "message.rendered",
    data: {
      v: 1,
      sendId,
      accountId,
      lane,
      acceptedAt,
      integrationId,
      from,
      messageId: messageIdOf(sendId, index),
      index,
      attempt,
      to: { email, ...(name === undefined ? {} : { name }) },
      subject: message.subject,
      html: html ?? { inline: "" },
      text: text ?? { inline: "" },
      pdfs: message.pdfs.flatMap(({ templateId, filename }, position) => {
        const page = versions.pdfs.get(templateId)?.page;
        const content = pdfContents[position];
        if (page === undefined || content === undefined) return [];
        return [{ templateId, filename: pdfFilename(filename), html: content, page }];
      }),
    },
  };
}

type Named = Pick<RequestedRecipient, "index" | "attempt">;

function idsOf(data: Requested): Named[] {
  return data.recipients ?? data.again ?? [];
}

function giveUpAll(
  data: Requested,
  recipients: Named[],
  reason: string,
  deps: RenderDeps,
): Verdict {
  const publish = recipients.map((recipient) => failure(data, recipient, reason, deps.now()));
  return { type: "done", publish };
}

function factOf(data: Requested, { index, attempt }: Named, now: Date) {
  const { sendId, accountId } = data;
  const messageId = messageIdOf(sendId, index);
  return { v: 1 as const, messageId, sendId, accountId, index, attempt, at: now.toISOString() };
}

function failure(data: Requested, recipient: Named, reason: string, now: Date): Outgoing {
  return {
    type: "fact.message.failed",
    data: {
      ...factOf(data, recipient, now),
      stage: "renderer",
      reason: `The template could not be filled: ${reason}`,
    },
  };
}
