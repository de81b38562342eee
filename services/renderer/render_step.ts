import {
  filesWithImages,
  inLocale,
  messageIdOf,
  type RequestedRecipient,
  type ResumedMessage,
  type Send,
  type StageLine,
  TAIL_VERSION,
} from "@posthaste/contracts";
import {
  failuresOf,
  fitsEvent,
  messagesPerEvent,
  type MessageStatusEvent,
  type MessageWithBytes,
  type Outgoing,
  redispatchesOf,
  reportsOf,
  splitIntoEvents,
  statusFieldsOf,
  type Step,
  type Verdict,
} from "@posthaste/messaging";
import { failpoint } from "@posthaste/runtime";
import { addSpanAttributes, recordDuration } from "@posthaste/telemetry";
import type { Sandbox } from "@posthaste/templating";
import { packContents, packMail, type StoreContent, TEXT_BYTES } from "./event_content.ts";
import { finishPdfs } from "./finish_pdfs.ts";
import { pdfSources, textsOfPdfs } from "./pdf_sources.ts";
import { pinnedVersions, type VersionSource } from "./pinned_versions.ts";
import {
  isLeft,
  localesOf,
  MAX_MESSAGE_LENGTH,
  type MessagePlan,
  planMessage,
  readFills,
  type RenderResult,
  templatesOf,
  type Versions,
} from "./render_message.ts";
import type { RemoteImages } from "./remote_images.ts";
import { isShared, sharedTexts } from "./shared_texts.ts";
import { messagesIn, type RenderEvent, type RequestHead, workOf } from "./render_work.ts";

/** The dependencies of the step. */
export interface RenderDeps extends VersionSource {
  sends: {
    load(id: string): Promise<Send | null>;
  };
  fill: Sandbox["fill"];
  isSlow: Sandbox["isSlow"];
  storeContent: StoreContent;
  now(): Date;
  /** Missing if the operator does not allow remote images. */
  images?: RemoteImages | undefined;
}

/** How long the messages of one event may wait for images, in milliseconds. The others are retried. */
const MAX_IMAGES_MS = 10_000;

/** Turns a send, or a part of one, into rendered messages: those with PDFs apart from those without. */
export function renderStep(deps: RenderDeps): Step<RenderEvent> {
  return {
    name: "renderer.render",
    handle: async (delivery) => {
      const work = await workOf(delivery, deps.sends.load);
      if (work === undefined) return { type: "fail", reason: "the send is not in the ledger" };
      const { head, recipients } = work;
      if (recipients.length === 0) return { type: "done", publish: [] };
      const versions = await pinnedVersions(work, deps);
      if (typeof versions === "string") {
        return {
          type: "done",
          publish: reportsOf(unfilled(head, recipients, { reason: versions, ...deps })),
        };
      }
      addSpanAttributes({
        "posthaste.send.id": head.sendId,
        "posthaste.recipient.count": recipients.length,
      });
      if (head.priority === "transactional" && deps.isSlow(head.accountId)) {
        return { type: "done", publish: asBulk(head, recipients) };
      }
      const plans = recipients.map((recipient) => planMessage(recipient, work.variables, versions));
      failpoint("renderer.before_fill");
      const publish: Outgoing[] = [];
      while (plans.length > 0) {
        const begun = performance.now();
        const rendered = await fillSome(plans, { head, versions }, deps);
        failpoint("renderer.after_fill");
        const durationMs = (performance.now() - begun) / rendered.length;
        recordDuration("posthaste.render.duration", durationMs / 1000);
        const done = plans.splice(0, rendered.length);
        const verdict = await verdictOf(
          { head, plans: done, rendered, versions, durationMs },
          deps,
        );
        if (verdict.type !== "done") return verdict;
        publish.push(...verdict.publish);
      }
      return { type: "done", publish };
    },
    giveUp: (delivery, reason) => ({
      publish: reportsOf(unfilled(delivery.data, messagesIn(delivery), { reason, ...deps })),
    }),
  };
}

/**
 * Returns the event for bulk priority: slow mail of one account must not delay the single messages of others.
 */
function asBulk(
  { v, sendId, accountId, integrationId, insteadOf }: RequestHead,
  recipients: RequestedRecipient[],
): Outgoing[] {
  const send = { _id: sendId, accountId, priority: "bulk" as const, eventVersion: v };
  const options = insteadOf === undefined ? {} : { integrationId };
  return redispatchesOf(send, recipients, options);
}

/**
 * Renders the first of these messages, as many as fit into memory together; at least one. A message that is
 * too large even by itself fails.
 */
async function fillSome(
  plans: readonly MessagePlan[],
  { head, versions }: Pick<Rendering, "head" | "versions">,
  { fill }: RenderDeps,
): Promise<RenderResult[]> {
  const results = await fill({
    templates: templatesOf(versions, localesOf(plans.map(({ recipient }) => recipient))),
    fills: plans.flatMap(({ fills }) => fills),
    owner: head.accountId,
    textBudget: MAX_MESSAGE_LENGTH,
  });
  const rendered: RenderResult[] = [];
  for (const plan of plans) {
    const own = results.splice(0, plan.fills.length);
    if (isLeft(own) && rendered.length > 0) break;
    rendered.push(readFills(plan, own));
  }
  return rendered;
}

interface Rendering {
  head: RequestHead;
  plans: MessagePlan[];
  rendered: RenderResult[];
  versions: Versions;
  durationMs: number;
}

async function verdictOf(work: Rendering, deps: RenderDeps): Promise<Verdict> {
  const { head, plans, rendered, versions, durationMs } = work;
  const statusEvents: MessageStatusEvent[] = [];
  const contents: FilledMessage[] = [];
  const started = performance.now();
  for (const [position, { recipient }] of plans.entries()) {
    const filled = rendered[position];
    if (filled === undefined) continue;
    const isLate = performance.now() - started > MAX_IMAGES_MS;
    const checked = await finishPdfs(filled, versions);
    const message = await withImages(checked, { head, recipient, versions, isLate }, deps.images);
    if ("afterMs" in message) {
      statusEvents.push(
        waitingEvent(head, recipient, { afterMs: message.afterMs, now: deps.now() }),
      );
    } else if (message.ok) {
      const line = { type: "rendered" as const, at: deps.now().toISOString(), durationMs };
      contents.push({ recipient, message, versions, line });
    } else if (message.outage) {
      return { type: "retry", reason: new Error(message.reason), outage: true };
    } else {
      statusEvents.push(...unfilled(head, [recipient], { reason: message.reason, ...deps }));
    }
  }
  const shared = sharedTexts(contents.map(({ message }) => message.pdfs));
  const queued: QueuedMessage[] = [];
  for (const content of contents) {
    const message = await messageOf(content, { store: deps.storeContent, shared });
    queued.push({ message, queue: queueOf(content, shared) });
  }
  return { type: "done", publish: [...eventsOf(head, queued), ...reportsOf(statusEvents)] };
}

/** Embeds the images of a message's PDFs, if their templates request it. */
async function withImages(
  message: RenderResult,
  { head, recipient, versions, isLate }: {
    head: RequestHead;
    recipient: RequestedRecipient;
    versions: Versions;
    isLate: boolean;
  },
  images: RemoteImages | undefined,
): Promise<RenderResult | { afterMs: number }> {
  if (!message.ok) return message;
  const pdfs: typeof message.pdfs = [];
  for (const pdf of message.pdfs) {
    const page = versions.pdfs.get(pdf.templateId)?.page;
    if (page?.images !== "remote" || images === undefined) {
      pdfs.push(pdf);
      continue;
    }
    if (isLate) return { afterMs: 0 };
    const inlined = await images.inline({
      accountId: head.accountId,
      messageId: messageIdOf(head.sendId, recipient.index),
      html: pdf.html,
      leaveOut: page.missing === "leave_out",
    });
    if (inlined.type === "later") return inlined;
    if (inlined.type === "failed") {
      return {
        ok: false,
        reason: `PDF template ${pdf.templateId}: ${inlined.reason}`,
        outage: false,
      };
    }
    pdfs.push({ ...pdf, html: inlined.html });
  }
  return { ...message, pdfs };
}

/** Returns the event that retries one message of a send. */
function waitingEvent(
  head: RequestHead,
  message: ResumedMessage,
  { afterMs, now }: { afterMs: number; now: Date },
): MessageStatusEvent {
  const nextAt = new Date(now.getTime() + afterMs).toISOString();
  const reason = "The images of its PDFs are not loaded yet";
  return {
    type: "status.message.waiting",
    data: { ...statusFieldsOf(head, message, now), reason, nextAt },
  };
}

/**
 * Messages that may share an event. Those whose PDFs are the same are printed once: they travel together, as if they
 * had no PDFs.
 */
type Queue = "own PDFs" | "shared PDFs" | "no PDFs";

type RenderedWithBytes = MessageWithBytes<"messages.rendered">;

interface QueuedMessage {
  message: RenderedWithBytes;
  queue: Queue;
}

function queueOf({ message: { pdfs } }: FilledMessage, shared: ReadonlySet<string>): Queue {
  if (pdfs.length === 0) return "no PDFs";
  return isShared(pdfs, shared) ? "shared PDFs" : "own PDFs";
}

const QUEUES: readonly Queue[] = ["own PDFs", "shared PDFs", "no PDFs"];

/** Returns the events that carry messages on: with PDFs to the printer, the others to the mailer. */
function eventsOf(send: RequestHead, queued: readonly QueuedMessage[]): Outgoing[] {
  const { sendId, accountId, priority, acceptedAt, integrationId, insteadOf } = send;
  const { from, subjectKey, redelivered } = send;
  const head = {
    v: TAIL_VERSION,
    ...{ sendId, accountId, priority, acceptedAt, integrationId, from },
    ...(subjectKey === undefined ? {} : { subjectKey }),
    ...(redelivered ? { redelivered } : {}),
    ...(insteadOf === undefined ? {} : { insteadOf }),
  };
  return QUEUES.flatMap((wanted) => {
    const messages = queued.flatMap(({ message, queue }) => queue === wanted ? message : []);
    const maxCount = messagesPerEvent(wanted === "own PDFs");
    return splitIntoEvents("messages.rendered", head, { messages, maxCount });
  });
}

/** A message that was filled, with the versions that filled it. */
interface FilledMessage {
  recipient: RequestedRecipient;
  message: RenderResult & { ok: true };
  versions: Versions;
  line: StageLine;
}

/** How the texts of messages travel. */
interface Packing {
  store: StoreContent;
  shared: ReadonlySet<string>;
}

async function messageOf(filled: FilledMessage, packing: Packing): Promise<RenderedWithBytes> {
  const message = await messageWithTexts(filled, packing, TEXT_BYTES);
  // Its other fields have no common limit.
  return fitsEvent(message) ? message : await messageWithTexts(filled, packing, 0);
}

/** Returns a message whose texts take so many bytes of an event, at most. The others are stored. */
async function messageWithTexts(
  { recipient, message, versions, line }: FilledMessage,
  { store, shared }: Packing,
  maxBytes: number,
): Promise<RenderedWithBytes> {
  const { html, text, room } = await packMail(message, store, maxBytes);
  const contents = await packContents(textsOfPdfs(message.pdfs), store, { shared, room });
  failpoint("renderer.after_contents");
  const { index, attempt, email, name, envelope } = recipient;
  const files = filesWithImages(recipient.files, inLocale(versions.email, recipient.locale).assets);
  return {
    index,
    attempt,
    to: { email, ...(name === undefined ? {} : { name }) },
    ...(envelope === undefined ? {} : { envelope }),
    ...(files.length === 0 ? {} : { files }),
    timeline: [line],
    subject: message.subject,
    html,
    text,
    pdfs: pdfSources(message.pdfs, { contents, versions }),
  };
}

/** Reports messages whose templates could not be filled. */
function unfilled(
  send: Pick<RequestHead, "sendId" | "accountId">,
  messages: readonly ResumedMessage[],
  { reason: why, now }: { reason: string; now(): Date },
): MessageStatusEvent[] {
  const reason = `The template could not be filled: ${why}`;
  return failuresOf(send, messages, { stage: "renderer", reason, at: now() });
}
