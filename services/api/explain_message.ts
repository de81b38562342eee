import {
  type EmailVersion,
  type Explanation,
  inLocale,
  localeOf,
  type PdfVersion,
} from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import { requireContent } from "@posthaste/messaging";
import { contentOf } from "./content_fault.ts";
import { explainBody, explainValues } from "./explain_variables.ts";
import type { RequestStore } from "./request_store.ts";
import { type AskedMessage, findKnown } from "./show_message.ts";

/** Which message is explained, and how. */
export interface AskedExplanation extends Pick<AskedMessage, "accountId"> {
  store: Pick<RequestStore, "findSend" | "emailVersion" | "pdfVersion">;
  /** Whether the values are included. */
  withValues: boolean;
}

/**
 * Reports for each variable of a message which level of its request set it.
 *
 * @throws {HttpError} `unknown_message`, `content_removed`
 */
export async function explainMessage(
  id: string,
  { accountId, store, withValues }: AskedExplanation,
): Promise<Explanation> {
  const { send, index } = await findKnown(id, { accountId, store, action: "explain" });
  await contentOf("explain the message", (async () => requireContent(send))());
  const { template, pdfVersions, request } = send;
  const recipient = request.to[index];
  const levels = { top: request.variables, recipient: recipient?.variables };
  const locale = localeOf(request, recipient);
  const explained = (version: EmailVersion | PdfVersion, own = levels) => ({
    ...explainBody(version, own, locale),
    ...(withValues ? { values: explainValues(inLocale(version, locale), own) } : {}),
  });
  const email = await store.emailVersion(accountId, template.id, template.version);
  const attachments = await Promise.all(
    (recipient?.attachments ?? []).map(async ({ id, variables }, position) => {
      const pdf = await store.pdfVersion(accountId, id, pdfVersions[id] ?? 0);
      const own = { ...levels, attachment: variables };
      const version = required(pdf);
      return { index: position, id, version: version.version, ...explained(version, own) };
    }),
  );
  return { id, template, ...explained(required(email)), attachments };
}

/** Asserts that a version exists: versions stay as long as sends are pinned to them. */
function required<T>(version: T | null): T {
  if (version !== null) return version;
  throw new HttpError("internal", "Cannot explain the message: a pinned version is missing");
}
