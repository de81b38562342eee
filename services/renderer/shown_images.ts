import type { PageOptions } from "@posthaste/contracts";
import { findImages } from "./image_references.ts";
import type { RemoteImages } from "./remote_images.ts";

const NOT_ALLOWED = "Messages with it fail: the operator does not allow images from the web " +
  "(REMOTE_IMAGES)";

/** A filled PDF template that somebody wants to see. */
export interface ShownDocument {
  accountId: string;
  html: string;
  page: PageOptions | undefined;
}

/**
 * Puts remote images into a document that is shown, where its mails would have them. Nobody waits for
 * what comes later: the document is shown without, and the warning says why.
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
