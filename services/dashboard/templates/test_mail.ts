import {
  type DraftSource,
  type EmailVersion,
  type Integration,
  messageIdOf,
  newSendId,
  normalizeAddress,
  type PdfVersion,
  type Send,
  sendRequestSchema,
  type Variables,
} from "@posthaste/contracts";
import { dispatchSend } from "@posthaste/messaging";
import type { Store } from "@posthaste/storage";
import { mergeVariables, missingVariables } from "@posthaste/templating";
import type { DashboardDeps } from "../app.ts";
import type { ProblemBody } from "../interface/problem.ts";
import { Problem } from "../problem.ts";
import type { TestWish } from "./template_input.ts";

/** What a test mail is checked against. */
export interface TestParts {
  integration: Integration;
  pdfs: PdfVersion[];
}

/** The sweeper dispatches again what is not finished by then. */
const SWEEP_AFTER_MS = 30_000;

/**
 * Finds what a test mail is to be sent with, and checks it as the HTTP interface would.
 *
 * @throws {Problem} `invalid_request` with every fault.
 */
export async function checkTest(
  accountId: string,
  { request, source }: { request: TestWish; source: DraftSource },
  store: Pick<Store, "findIntegration" | "findTemplate" | "findVersion">,
): Promise<TestParts> {
  const { integrationId, sender, variables, attachments = [] } = request;
  const issues: NonNullable<ProblemBody["issues"]> = [];
  const integration = await store.findIntegration(accountId, integrationId);
  if (integration === null) {
    issues.push({ path: "integrationId", message: "there is no such integration" });
  } else if (
    !integration.senders.some((one) => normalizeAddress(one) === normalizeAddress(sender))
  ) {
    issues.push({ path: "sender", message: `must be a sender address of "${integration.name}"` });
  }
  const pdfs: PdfVersion[] = [];
  for (const [position, id] of attachments.entries()) {
    const head = await store.findTemplate(accountId, "pdf", id);
    const number = head?.publishedVersion ?? null;
    const pdf = number === null ? null : await store.findVersion(accountId, "pdf", id, number);
    const path = `attachments.${position}`;
    if (pdf === null) issues.push({ path, message: `there is no published PDF template ${id}` });
    else pdfs.push(pdf);
  }
  for (const declared of [source.variables, ...pdfs.map((pdf) => pdf.variables)]) {
    for (const name of missingVariables(declared, mergeVariables(variables))) {
      issues.push({ path: `variables.${name}`, message: "is required" });
    }
  }
  if (integration === null || issues.length > 0) {
    const [first] = issues;
    throw new Problem("invalid_request", `Cannot send it: "${first?.path}" ${first?.message}`, {
      issues,
    });
  }
  return { integration, pdfs };
}

/** A test mail that was checked. */
export interface CheckedTest extends TestParts {
  email: EmailVersion;
  sender: string;
  to: string;
  variables: Variables;
}

/** Accepts a test mail and hands it to the pipeline, as any send. */
export async function sendTest(
  { email, integration, pdfs, sender, to, variables }: CheckedTest,
  { store, bus, now, logger }: Pick<DashboardDeps, "store" | "bus" | "now" | "logger">,
): Promise<{ sendId: string; messageId: string }> {
  const { accountId } = email;
  const acceptedAt = now();
  const attachments = pdfs.map(({ templateId }) => ({ id: templateId }));
  const send: Send = {
    _id: newSendId(acceptedAt),
    ...{ accountId, acceptedAt, lane: "transactional", integrationId: integration.id },
    template: { id: email.templateId, version: email.version },
    pdfVersions: Object.fromEntries(pdfs.map(({ templateId, version }) => [templateId, version])),
    request: sendRequestSchema().parse({
      from: { email: sender },
      to: [{ email: to, variables, ...(attachments.length > 0 ? { attachments } : {}) }],
    }),
    messageCount: 1,
    settledAt: null,
    sweepAt: new Date(acceptedAt.getTime() + SWEEP_AFTER_MS),
  };
  await store.acceptSend(send);
  await dispatchSend(bus, send).catch((error) => {
    logger.warn(`Cannot dispatch "${send._id}": the sweeper will`, { sendId: send._id, error });
  });
  return { sendId: send._id, messageId: messageIdOf(send._id, 0) };
}
