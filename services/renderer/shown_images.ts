import type { PageOptions } from "@posthaste/contracts";
import { findImages } from "./image_references.ts";
import type { RemoteImages } from "./remote_images.ts";

const NOT_ALLOWED = "Messages with it fail: the operator does not allow images from the web " +
  "(REMOTE_IMAGES)";

/** A filled PDF template of an interactive request. */
export interface ShownDocument {
  accountId: string;
  html: string;
  page: PageOptions | undefined;
}

/**
 * Embeds remote images into a shown document, if its mails would have them. It does not wait for late images:
 * the document is shown without them, with a warning that contains the reason.
 */
export async function withShownImages(
  { accountId, html, page }: ShownDocument,
  images: RemoteImages | undefined,
): Promise<{ html: string; warnings: string[] }> {
  if (page?.images !== "remote") return { html, warnings: [] };
  if (images === undefined) {
    const isNamed = page.missing === "fail" && findImages(html).length > 0;
    return { html, warnings: isNamed ? [NOT_ALLOWED] : [] };
  }
  const leaveOut = page.missing === "leave_out";
  // Counted apart from the tries of messages.
  const messageId = `interactive/${accountId}`;
  const inlined = await images.inline({ accountId, messageId, html, leaveOut });
  switch (inlined.type) {
    case "done":
      return { html: inlined.html, warnings: [] };
    case "failed":
      return { html, warnings: [`Messages with it fail: ${inlined.reason}`] };
    case "later":
      return {
        html,
        warnings: ["Its images are not loaded yet. Fetching is retried soon"],
      };
  }
}
