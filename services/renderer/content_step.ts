import type { ContentReply, RequestedRecipient, Send } from "@posthaste/contracts";
import type { Step } from "@posthaste/messaging";
import type { Sandbox } from "@posthaste/templating";
import { interactiveOwner } from "./interactive_owner.ts";
import { packContents, type StoreContent } from "./event_content.ts";
import { pdfFilename } from "./pdf_filename.ts";
import { pinnedVersions, type VersionSource } from "./pinned_versions.ts";
import type { RemoteImages } from "./remote_images.ts";
import {
  MAX_MESSAGE_LENGTH,
  planMessage,
  readFills,
  type RenderedMessage,
  templatesOf,
  type Versions,
} from "./render_message.ts";
import { withShownImages } from "./shown_images.ts";

/** What the step needs from the outside. */
export interface ContentDeps extends VersionSource {
  sends: {
    load(id: string): Promise<Send | null>;
  };
  fill: Sandbox["fill"];
  storeContent: StoreContent;
  /** Left out where the operator does not allow remote images. */
  images?: RemoteImages | undefined;
}

/** Makes again what an accepted message was filled to, for somebody who wants to see it. */
export function contentStep(deps: ContentDeps): Step<"content.requested"> {
  return {
    name: "renderer.content",
    handle: async ({ data: { accountId, sendId, index } }) => {
      const refused = (reason: string) => ({
        ...{ type: "done" as const, publish: [] },
        replies: [{ ok: false, reason } satisfies ContentReply],
      });
      const send = await deps.sends.load(sendId);
      const asked = send?.accountId === accountId ? send.request.to[index] : undefined;
      if (send === null || asked === undefined) return refused("the message is not in the ledger");
      const recipient: RequestedRecipient = { index, attempt: 0, ...asked };
      const versions = await pinnedVersions({ head: send, recipients: [recipient] }, deps);
      if (typeof versions === "string") return refused(versions);
      const plan = planMessage(recipient, send.request.variables, versions);
      const results = await deps.fill({
        templates: templatesOf(versions),
        fills: plan.fills,
        owner: interactiveOwner(accountId),
        textBudget: MAX_MESSAGE_LENGTH,
        urgent: true,
      });
      const message = readFills(plan, results);
      if (!message.ok) return refused(message.reason);
      const reply = await replyOf(message, { accountId, versions, deps });
      return { type: "done", publish: [], replies: [reply] };
    },
    giveUp: (_, reason) => ({
      publish: [],
      replies: [{ ok: false, reason } satisfies ContentReply],
    }),
  };
}

async function replyOf(
  { subject, html, text, pdfs }: RenderedMessage & { ok: true },
  { accountId, versions, deps }: { accountId: string; versions: Versions; deps: ContentDeps },
): Promise<ContentReply> {
  const shown = await Promise.all(pdfs.map(async ({ templateId, filename, html }) => {
    const page = versions.pdfs.get(templateId)?.page;
    const document = await withShownImages({ accountId, html, page }, deps.images);
    return { templateId, filename, page, html: document.html };
  }));
  const texts = [html, text, ...shown.map((pdf) => pdf.html)];
  const [mail, plain, ...documents] = await packContents(texts, deps.storeContent);
  return {
    ok: true,
    parts: { subject, html: mail ?? { inline: "" }, text: plain ?? { inline: "" } },
    pdfs: shown.flatMap(({ templateId, filename, page }, position) => {
      const content = documents[position];
      if (page === undefined || content === undefined) return [];
      return [{ templateId, filename: pdfFilename(filename), html: content, page }];
    }),
  };
}
