import {
  type DraftSource,
  type Integration,
  normalizeAddress,
  type PdfVersion,
} from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import { mergeVariables, missingVariables } from "@posthaste/templating";
import type { ErrorBody } from "../interface/error_code.ts";
import { HttpError } from "../http_error.ts";
import type { TestWish } from "./template_input.ts";

/** The parts that a test mail is checked against. */
export interface TestParts {
  integration: Integration;
  pdfs: PdfVersion[];
}

/**
 * Finds the parts of a test mail, and checks it as the HTTP interface would.
 *
 * @throws {HttpError} `invalid_request` with every fault.
 */
export async function checkTest(
  accountId: string,
  { request, source }: { request: TestWish; source: DraftSource },
  store: StorePart<"integrations.find" | "templates.find" | "templates.findVersion">,
): Promise<TestParts> {
  const { integrationId, sender, variables, attachments = [] } = request;
  const issues: NonNullable<ErrorBody["issues"]> = [];
  const integration = await store.integrations.find(accountId, integrationId);
  if (integration === null) {
    issues.push({ path: "integrationId", message: "there is no such integration" });
  } else if (
    !integration.senders.some((one) => normalizeAddress(one) === normalizeAddress(sender))
  ) {
    issues.push({ path: "sender", message: `must be a sender address of "${integration.name}"` });
  }
  const pdfs: PdfVersion[] = [];
  for (const [position, id] of attachments.entries()) {
    const head = await store.templates.find(accountId, "pdf", id);
    const number = head?.publishedVersion ?? null;
    const pdf = number === null
      ? null
      : await store.templates.findVersion(accountId, "pdf", id, number);
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
    throw new HttpError(
      "invalid_request",
      `Cannot send the test: "${first?.path}" ${first?.message}`,
      {
        issues,
      },
    );
  }
  return { integration, pdfs };
}
