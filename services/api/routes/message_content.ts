import {
  filesWithImages,
  inLocale,
  type MailFile,
  requestedRecipient,
  type Send,
  variantFor,
} from "@posthaste/contracts";
import { mailContent, type MailContentDeps, mailPdf, requireContent } from "@posthaste/messaging";
import { HttpError } from "../http_error.ts";
import type { FastifyInstance } from "fastify";
import { type AuditDeps, auditRead } from "../audit.ts";
import { requireScope } from "../authenticate.ts";
import { contentOf } from "../content_fault.ts";
import type { RequestStore } from "../request_store.ts";
import { sendFile } from "../send_file.ts";
import { findKnown } from "../show_message.ts";

const ACTION = "make the mail again";
const SCOPE = { onRequest: requireScope("read:content") };

/** `GET /messages/{id}/content`, a mail as it was filled, and `/messages/{id}/attachments/{n}`, one of its files. */
export function messageContentRoute(app: FastifyInstance, deps: MailContentDeps & AuditDeps): void {
  app.get<{ Params: { id: string } }>(
    "/messages/:id/content",
    SCOPE,
    async (request) => {
      const { caller: { accountId }, params: { id }, store } = request;
      const { send, index } = await findKnown(id, { accountId, store, action: "show" });
      const { pdfs, ...parts } = await contentOf(ACTION, mailContent(send, index, deps));
      const { files, variant } = await bodyOf(send, index, store);
      await auditRead(deps, request, { id });
      const attachments = [
        ...pdfs.map(({ filename }) => ({ filename, bytes: null })),
        ...files.map(({ filename, size }) => ({ filename, bytes: size })),
      ].map((attachment, at) => ({ index: at, ...attachment }));
      return { ...parts, variant, attachments };
    },
  );

  app.get<{ Params: { id: string; n: string } }>(
    "/messages/:id/attachments/:n",
    SCOPE,
    async (request, reply) => {
      const { caller: { accountId }, params: { id, n }, store } = request;
      const { send, index } = await findKnown(id, { accountId, store, action: "show" });
      const position = /^\d{1,4}$/.test(n) ? Number(n) : -1;
      const pdfs = send.request.to[index]?.attachments?.length ?? 0;
      if (position >= 0 && position < pdfs) {
        const pdf = await contentOf("print it again", mailPdf(send, { index, position }, deps));
        await auditRead(deps, request, { id, details: { pdf: position + 1 } });
        return sendFile({ ...pdf, contentType: "application/pdf" }, reply);
      }
      const file = (await bodyOf(send, index, store)).files[position - pdfs];
      if (file === undefined) {
        const sentence = `Cannot show the attachment: the message has none at "${n}"`;
        throw new HttpError("unknown_attachment", sentence);
      }
      await contentOf("show the attachment", (async () => requireContent(send))());
      const bytes = await store.findAsset(accountId, file.sha256);
      if (bytes === null) throw new HttpError("content_removed", GONE);
      await auditRead(deps, request, { id, details: { file: file.filename } });
      return sendFile({ ...file, bytes }, reply);
    },
  );
}

const GONE = "Cannot show the attachment: the file is not kept any more";

/**
 * Returns which body of its template a mail has, and its files, which follow its PDFs: those of its request, and the
 * images of that body.
 */
async function bodyOf(
  { accountId, request, template: { id, version } }: Send,
  index: number,
  store: Pick<RequestStore, "emailVersion">,
): Promise<{ files: readonly MailFile[]; variant: string | null }> {
  const email = await store.emailVersion(accountId, id, version);
  const { files, locale } = requestedRecipient(request, { index, attempt: 0 }) ?? {};
  if (email === null) return { files: filesWithImages(files, undefined), variant: null };
  return {
    files: filesWithImages(files, inLocale(email, locale).assets),
    variant: variantFor(email, locale),
  };
}
