import {
  type EmailVersion,
  type Integration,
  messageIdOf,
  newSendId,
  type PdfVersion,
  RECONCILE_AFTER_MS,
  type Send,
  sendRequestSchema,
  type Variables,
} from "@posthaste/contracts";
import { acceptanceOf, dispatchSend } from "@posthaste/messaging";
import { newSubjectKey } from "@posthaste/storage";
import type { DashboardDeps } from "./dashboard_deps.ts";

/** A checked mail of the dashboard. */
export interface OwnMail {
  integration: Integration;
  pdfs: PdfVersion[];
  email: EmailVersion;
  sender: string;
  to: string;
  variables: Variables;
  /** The wanted language. @default that of each template */
  locale?: string | undefined;
}

/** Accepts a mail and passes it to the pipeline, like any send. */
export async function sendMail(
  { email, integration, pdfs, sender, to, variables, locale }: OwnMail,
  { store, bus, now, logger }: Pick<DashboardDeps, "store" | "bus" | "now" | "logger">,
): Promise<{ sendId: string; messageId: string }> {
  const { accountId } = email;
  const acceptedAt = now();
  const attachments = pdfs.map(({ templateId }) => ({ id: templateId }));
  const send: Send = {
    _id: newSendId(accountId, acceptedAt),
    ...{ accountId, acceptedAt, priority: "transactional", integrationId: integration.id },
    template: { id: email.templateId, version: email.version },
    pdfVersions: Object.fromEntries(pdfs.map(({ templateId, version }) => [templateId, version])),
    request: sendRequestSchema().parse({
      from: { email: sender },
      to: [{
        ...{ email: to, variables },
        ...(attachments.length > 0 ? { attachments } : {}),
        ...(locale === undefined ? {} : { locale }),
      }],
    }),
    ...{ messageCount: 1, subjectKey: newSubjectKey() },
    settledAt: null,
    reconcileAt: new Date(acceptedAt.getTime() + RECONCILE_AFTER_MS),
  };
  await store.sends.accept(send);
  await Promise.all([dispatchSend(bus, send), bus.publish(acceptanceOf(send))]).catch((error) => {
    logger.warn(`Cannot dispatch "${send._id}": the reconciler will do it`, {
      sendId: send._id,
      error,
    });
  });
  return { sendId: send._id, messageId: messageIdOf(send._id, 0) };
}
