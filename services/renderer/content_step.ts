import {
  type ContentReply,
  type EventData,
  type GivenMessage,
  localeOf,
  type Send,
} from "@posthaste/contracts";
import type { Step } from "@posthaste/messaging";
import type { Sandbox } from "@posthaste/templating";
import { interactiveOwner } from "./interactive_owner.ts";
import { packContents, type StoreContent } from "./event_content.ts";
import { fillPdf } from "./pdf_content.ts";
import { finishPdfs } from "./finish_pdfs.ts";
import { pdfSources, textsOfPdfs } from "./pdf_sources.ts";
import { pinnedVersions, type VersionSource } from "./pinned_versions.ts";
import type { RemoteImages } from "./remote_images.ts";
import {
  localesOf,
  MAX_MESSAGE_LENGTH,
  planMessage,
  readFills,
  type RenderResult,
  templatesOf,
  type Versions,
} from "./render_message.ts";
import { withShownImages } from "./shown_images.ts";

/** The dependencies of the step. */
export interface ContentDeps extends VersionSource {
  sends: {
    load(id: string): Promise<Send | null>;
  };
  fill: Sandbox["fill"];
  storeContent: StoreContent;
  /** Missing if the operator does not allow remote images. */
  images?: RemoteImages | undefined;
}

/** Renders the content of an accepted or a given message for an interactive request. */
export function contentStep(deps: ContentDeps): Step<"content.requested"> {
  return {
    name: "renderer.content",
    handle: async ({ data }) => {
      const refused = (reason: string) => ({
        ...{ type: "done" as const, publish: [] },
        replies: [{ ok: false, reason } satisfies ContentReply],
      });
      if (data.pdf !== undefined) {
        const filled = await fillPdf(data.accountId, data.pdf, deps);
        if ("reason" in filled) return refused(filled.reason);
        const { message, pdfs } = filled;
        if (!message.ok) return refused(message.reason);
        const reply = await replyOf(message, { data, versions: { pdfs }, deps });
        return { type: "done", publish: [], replies: [reply] };
      }
      const { accountId, given = await findMessage(data, deps) } = data;
      if (given === undefined) return refused("the message is not in the ledger");
      const { recipient } = given;
      const head = { accountId, template: given.template, pdfVersions: given.pdfVersions };
      const versions = await pinnedVersions({ head, recipients: [recipient] }, deps);
      if (typeof versions === "string") return refused(versions);
      const plan = planMessage(recipient, given.variables, versions);
      const results = await deps.fill({
        templates: templatesOf(versions, localesOf([recipient])),
        fills: plan.fills,
        owner: interactiveOwner(accountId),
        textBudget: MAX_MESSAGE_LENGTH,
        urgent: true,
      });
      const message = await finishPdfs(readFills(plan, results), versions);
      if (!message.ok) return refused(message.reason);
      const reply = await replyOf(message, { data, versions, deps });
      return { type: "done", publish: [], replies: [reply] };
    },
    giveUp: (_, reason) => ({
      publish: [],
      replies: [{ ok: false, reason } satisfies ContentReply],
    }),
  };
}

async function findMessage(
  { accountId, sendId, index }: EventData<"content.requested">,
  { sends: { load: loadSend } }: ContentDeps,
): Promise<GivenMessage | undefined> {
  const send = await loadSend(sendId);
  const asked = send?.accountId === accountId ? send.request.to[index] : undefined;
  if (send === null || asked === undefined) return undefined;
  const { template, pdfVersions, request } = send;
  const recipient = { index, attempt: 0, ...asked, locale: localeOf(request, asked) };
  return { template, pdfVersions, variables: request.variables, recipient };
}

interface Replying {
  data: EventData<"content.requested">;
  versions: Pick<Versions, "pdfs">;
  deps: ContentDeps;
}

async function replyOf(
  { subject, html, text, pdfs }: RenderResult & { ok: true },
  { data: { accountId, namesOnly = false }, versions, deps }: Replying,
): Promise<ContentReply> {
  const shown = await Promise.all(pdfs.map(async ({ templateId, filename, html, ...more }) => {
    if (namesOnly) return { templateId, filename, html: "" };
    const page = versions.pdfs.get(templateId)?.page;
    const document = await withShownImages({ accountId, html, page }, deps.images);
    return { ...more, templateId, filename, html: document.html };
  }));
  const texts = [html, text, ...textsOfPdfs(shown)];
  const [mail, plain, ...documents] = await packContents(texts, deps.storeContent);
  return {
    ok: true,
    parts: { subject, html: mail ?? { inline: "" }, text: plain ?? { inline: "" } },
    pdfs: pdfSources(shown, { contents: documents, versions }),
  };
}
