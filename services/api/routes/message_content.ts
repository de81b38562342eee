import { type ErrorCode, requestedRecipient } from "@posthaste/contracts";
import { HttpError } from "../http_error.ts";
import {
  mailContent,
  type MailContentDeps,
  MailContentError,
  type MailContentFault,
} from "@posthaste/messaging";
import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import { findKnown } from "../show_message.ts";

const SCOPE = { onRequest: requireScope("read:content") };

const CODES = {
  removed: "content_removed",
  template_failed: "template_failed",
  no_answer: "render_timeout",
  unavailable: "unavailable",
} as const satisfies Record<Exclude<MailContentFault, "no_such_pdf">, ErrorCode>;

/** `GET /messages/{id}/content`: a mail as it was filled. */
export function messageContentRoute(app: FastifyInstance, deps: MailContentDeps): void {
  app.get<{ Params: { id: string } }>(
    "/messages/:id/content",
    SCOPE,
    async ({ caller: { accountId }, params: { id }, ledger }) => {
      const { send, index } = await findKnown(id, { accountId, ledger, action: "show" });
      const { pdfs, ...parts } = await madeAgain(mailContent(send, index, deps));
      const { files = [] } = requestedRecipient(send.request, { index, attempt: 0 }) ?? {};
      const attachments = [...pdfs, ...files].map(({ filename }, at) => ({ index: at, filename }));
      return { ...parts, attachments };
    },
  );
}

async function madeAgain<T>(making: Promise<T>): Promise<T> {
  try {
    return await making;
  } catch (cause) {
    if (!(cause instanceof MailContentError) || cause.fault === "no_such_pdf") throw cause;
    const code = CODES[cause.fault];
    throw new HttpError(code, `Cannot make the mail again: ${cause.message}`, {
      cause,
      ...(code === "unavailable" ? { retryAfter: 2 } : {}),
    });
  }
}
