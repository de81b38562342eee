import { requestedRecipient } from "@posthaste/contracts";
import { mailContent, type MailContentDeps, mailPdf } from "@posthaste/messaging";
import { HttpError } from "../http_error.ts";
import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import { contentOf } from "../content_fault.ts";
import { sendPdf } from "../send_pdf.ts";
import { findKnown } from "../show_message.ts";

const ACTION = "make the mail again";
const SCOPE = { onRequest: requireScope("read:content") };

/** `GET /messages/{id}/content`, a mail as it was filled, and `/messages/{id}/attachments/{n}`, one of its PDFs. */
export function messageContentRoute(app: FastifyInstance, deps: MailContentDeps): void {
  app.get<{ Params: { id: string } }>(
    "/messages/:id/content",
    SCOPE,
    async ({ caller: { accountId }, params: { id }, ledger }) => {
      const { send, index } = await findKnown(id, { accountId, ledger, action: "show" });
      const { pdfs, ...parts } = await contentOf(ACTION, mailContent(send, index, deps));
      const { files = [] } = requestedRecipient(send.request, { index, attempt: 0 }) ?? {};
      const attachments = [...pdfs, ...files].map(({ filename }, at) => ({ index: at, filename }));
      return { ...parts, attachments };
    },
  );

  app.get<{ Params: { id: string; n: string } }>(
    "/messages/:id/attachments/:n",
    SCOPE,
    async ({ caller: { accountId }, params: { id, n }, ledger }, reply) => {
      const { send, index } = await findKnown(id, { accountId, ledger, action: "show" });
      const position = /^\d{1,4}$/.test(n) ? Number(n) : -1;
      if (send.request.to[index]?.attachments?.[position] === undefined) {
        const sentence = `Cannot show the attachment: the message has none at "${n}"`;
        throw new HttpError("unknown_attachment", sentence);
      }
      const pdf = await contentOf("print it again", mailPdf(send, { index, position }, deps));
      return sendPdf(pdf, reply);
    },
  );
}
