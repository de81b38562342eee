import { filesWithImages, requestedRecipient, type Send } from "@posthaste/contracts";
import { requireContent } from "@posthaste/messaging";
import type { StorePart } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";

/** An image in the HTML of a mail. */
export interface MailImage {
  contentType: string;
  bytes: Uint8Array;
}

/**
 * Finds an image that a mail carries, by its content id: as the template's version pins it, or the file of the
 * request that replaces it. What the account keeps under the name now may be another file.
 *
 * @throws {HttpError} `not_found` if the mail carries no such image.
 * @throws {MailContentError} If the content of the mail was removed.
 */
export async function mailImage(
  { send, index, contentId }: { send: Send; index: number; contentId: string },
  { assets, templates }: StorePart<"assets.find" | "templates.findVersion">,
): Promise<MailImage> {
  requireContent(send);
  const { accountId, request, template: { id, version } } = send;
  const email = await templates.findVersion(accountId, "email", id, version);
  const { files } = requestedRecipient(request, { index, attempt: 0 }) ?? {};
  const image = filesWithImages(files, email?.assets).find((file) =>
    file.contentId === contentId && file.contentType.startsWith("image/")
  );
  const bytes = image === undefined ? null : await assets.find(accountId, image.sha256);
  if (image === undefined || bytes === null) {
    throw new HttpError("not_found", `The message carries no image "${contentId}"`);
  }
  return { contentType: image.contentType, bytes };
}
