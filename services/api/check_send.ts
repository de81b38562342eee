import {
  type Integration,
  type Issue,
  normalizeAddress,
  type PdfVersion,
  type SendRequest,
} from "@posthaste/contracts";
import { findMissingVariables, type SendVersions } from "./check_variables.ts";
import { refusalOf } from "./fault.ts";
import type { ReadableSend, ReadSendBody } from "./read_send_body.ts";

/** The most different PDF templates of one send: each is looked up. */
export const MAX_PDF_TEMPLATES = 100;

/** What a send is checked against. */
export interface SendContext {
  email: SendVersions["email"];
  integration: Integration;
  /** Gives the newest published version of one of the account's PDF templates. */
  latestPdfVersion(id: number): Promise<PdfVersion | null>;
}

/** A send that may be accepted. */
export interface CheckedSend {
  request: SendRequest;
  /** Version of each PDF template in the request, by its id. */
  pdfVersions: Record<string, number>;
}

/**
 * Checks a send as a whole: every fault of every kind is found before anything is refused.
 *
 * @throws {Refusal} with all faults as its issues.
 */
export async function checkSend(read: ReadSendBody, context: SendContext): Promise<CheckedSend> {
  const { request, faults, readable } = read;
  const pdfIds = pdfIdsOf(readable);
  const asked = new Set([...pdfIds].slice(0, MAX_PDF_TEMPLATES));
  const pdfs = await findPdfVersions(asked, context);
  const all = [
    ...faults,
    ...findTooManyPdfs(pdfIds),
    ...findSenderFault(readable, context.integration),
    ...findUnknownPdfs(readable, { asked, pdfs }),
    ...findMissingVariables(readable, { email: context.email, pdfs }),
  ];
  if (request === undefined || all.length > 0) throw refusalOf("accept the send", all);
  const pdfVersions: Record<string, number> = {};
  for (const [id, { version }] of pdfs) pdfVersions[id] = version;
  return { request, pdfVersions };
}

function pdfIdsOf(send: ReadableSend): Set<number> {
  const ids = new Set<number>();
  for (const { attachments = [] } of send.to) {
    for (const attachment of attachments) if (attachment !== null) ids.add(attachment.id);
  }
  return ids;
}

function findTooManyPdfs({ size }: ReadonlySet<number>): Issue[] {
  if (size <= MAX_PDF_TEMPLATES) return [];
  const message = `must not use more than ${MAX_PDF_TEMPLATES} different PDF templates`;
  return [{ path: "to", code: "too_many", message }];
}

async function findPdfVersions(
  ids: ReadonlySet<number>,
  { latestPdfVersion }: SendContext,
): Promise<Map<number, PdfVersion>> {
  const found = new Map<number, PdfVersion>();
  await Promise.all([...ids].map(async (id) => {
    const version = await latestPdfVersion(id);
    if (version !== null) found.set(id, version);
  }));
  return found;
}

function findSenderFault({ from }: ReadableSend, { id, senders }: Integration): Issue[] {
  if (from === undefined || from.email === null) return [];
  const sender = normalizeAddress(from.email);
  if (senders.some((allowed) => normalizeAddress(allowed) === sender)) return [];
  const message = `must be a sender address of integration ${id}`;
  return [{ path: "from.email", code: "sender_not_allowed", message }];
}

interface PdfLookup {
  /** Ids that were looked up. */
  asked: ReadonlySet<number>;
  pdfs: ReadonlyMap<number, PdfVersion>;
}

function findUnknownPdfs(send: ReadableSend, { asked, pdfs }: PdfLookup): Issue[] {
  return send.to.flatMap(({ attachments = [] }, index) =>
    attachments.flatMap((attachment, position): Issue[] =>
      attachment === null || !asked.has(attachment.id) || pdfs.has(attachment.id) ? [] : [{
        path: `to.${index}.attachments.${position}.id`,
        code: "unknown_pdf_template",
        message: `there is no published PDF template ${attachment.id}`,
      }]
    )
  );
}
