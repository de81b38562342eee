import { requestedRecipient } from "@posthaste/contracts";
import { mailContent, type MailContentDeps } from "@posthaste/messaging";
import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import { contentOf } from "../content_fault.ts";
import { findKnown } from "../show_message.ts";

const ACTION = "make the mail again";
const SCOPE = { onRequest: requireScope("read:content") };

/** `GET /messages/{id}/content`: a mail as it was filled. */
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
}
