import {
  type AccessToken,
  carriedAssets,
  type EmailVersion,
  encodedBytes,
  inLocale,
  type Integration,
  type Issue,
  type MailFile,
  normalizeAddress,
  type PdfRef,
  type PdfVersion,
  type PinnedAsset,
  type SendBody,
  type SendRequest,
} from "@posthaste/contracts";
import { requireScopes } from "@posthaste/http";
import type { NeededAsset } from "@posthaste/storage";
import { countToSuppressed, findEnvelopeFaults } from "./check_envelope.ts";
import { findLabelFaults } from "./check_labels.ts";
import { findVariableFaults, type SendVersions } from "./check_variables.ts";
import { httpErrorOf } from "./fault.ts";
import { type FindAssetName, type ResolvedFiles, resolveFiles } from "./resolve_files.ts";
import type { ReadableSend, ReadSendBody } from "./read_send_body.ts";
import { readSendAt, type ScheduleLimits } from "./send_at.ts";

/** The most different PDF templates of one send: each is looked up. */
export const MAX_PDF_TEMPLATES = 100;

/** What a send is checked against. */
export interface SendContext {
  /** What fails. @default {"accept the send"} */
  action?: string;
  email: SendVersions["email"];
  integration: Integration;
  /** The scopes of the token. */
  scopes: AccessToken["scopes"];
  schedule: ScheduleLimits;
  /** Returns the newest published version of one of the account's PDF templates. */
  latestPdfVersion(ref: PdfRef): Promise<PdfVersion | null>;
  findAssetName: FindAssetName;
  /** Files that all mails of its batch carry. */
  files?: readonly MailFile[];
  /** The language of the account's mail, if the request names none. */
  locale?: string | undefined;
}

/** A send that may be accepted. */
export interface CheckedSend {
  request: SendRequest;
  /** When the send starts; missing for now. */
  notBefore?: Date | undefined;
  /** Version of each PDF template in the request, by its id. */
  pdfVersions: Record<string, number>;
  /** Files that have to be stored before it is accepted. */
  needed: readonly NeededAsset[];
  /** These versions, by the id of their template. */
  pdfs: ReadonlyMap<number, PdfVersion>;
  /** How many recipients get the mail although their address is suppressed. */
  toSuppressed: number;
}

type PdfVersions = SendVersions["pdfs"];

/**
 * Checks a send as a whole: finds all faults of every kind before it refuses the send.
 *
 * @throws {HttpError} with all faults as its issues; `missing_scope` if the token must not send to suppressed
 * addresses.
 */
export async function checkSend(read: ReadSendBody, context: SendContext): Promise<CheckedSend> {
  const { request, faults } = read;
  const { locale = context.locale } = read.readable;
  const readable = { ...read.readable, locale };
  const refs = pdfRefsOf(readable);
  const asked = new Set([...refs].slice(0, MAX_PDF_TEMPLATES));
  const pdfs = await findPdfVersions(asked, context);
  const images = mostImages(context.email);
  const { files: common = [] } = context;
  const files = await resolveFiles(request ?? { to: [] }, context.findAssetName, {
    ...{ images, files: common },
  });
  const sendAt = readable.sendAt === undefined || readable.sendAt === null
    ? { at: null }
    : readSendAt(readable.sendAt, context.schedule);
  const all = [
    ...faults,
    ...("fault" in sendAt ? [sendAt.fault] : []),
    ...findTooManyPdfs(refs),
    ...(request === undefined ? [] : [...findEnvelopeFaults(request), ...findLabelFaults(request)]),
    ...files.faults,
    ...findSenderFault(readable, context.integration),
    ...findUnknownPdfs(readable, { asked, pdfs }),
    ...findVariableFaults(readable, { email: context.email, pdfs }),
  ];
  if (request === undefined || all.length > 0 || "fault" in sendAt) {
    throw httpErrorOf(context.action ?? "accept the send", all);
  }
  const toSuppressed = countToSuppressed(request);
  if (toSuppressed > 0) requireScopes(context.scopes, ["send:suppressed"]);
  const pdfVersions: Record<string, number> = {};
  for (const { templateId, version } of pdfs.values()) pdfVersions[templateId] = version;
  const byId = new Map([...pdfs.values()].map((version) => [version.templateId, version]));
  return {
    request: {
      ...storedForm(request, { pdfs, files, common }),
      ...(locale === undefined ? {} : { locale }),
    },
    notBefore: sendAt.at ?? undefined,
    ...{ pdfVersions, pdfs: byId, needed: neededOf(files, common), toSuppressed },
  };
}

/** Returns the images of the body that carries most: a mail in any language must fit. */
function mostImages(email: EmailVersion): PinnedAsset[] {
  const bytesOf = (images: readonly PinnedAsset[]) =>
    images.reduce((sum, { size }) => sum + encodedBytes(size), 0);
  const tags = [undefined, ...Object.keys(email.variants ?? {})];
  return tags.map((tag) => carriedAssets(inLocale(email, tag).assets))
    .reduce((most, images) => bytesOf(images) > bytesOf(most) ? images : most);
}

function pdfRefsOf(send: ReadableSend): Set<PdfRef> {
  const refs = new Set<PdfRef>();
  for (const { attachments = [] } of send.to) {
    for (const attachment of attachments) if (attachment !== null) refs.add(attachment.id);
  }
  return refs;
}

/**
 * Returns the form of a request that is stored. It refers to every PDF template by its id, since
 * the alias may belong to another one by the time of printing, and to every file by its hash.
 */
function storedForm(
  { to, sendAt: _at, attachments: common, ...rest }: SendBody,
  { pdfs, files, common: shared }: {
    pdfs: PdfVersions;
    files: ResolvedFiles;
    common: readonly MailFile[];
  },
): SendRequest {
  const filesOf = (attachments: SendBody["attachments"], more: readonly MailFile[] = []) => {
    const found = [...more, ...files.filesIn(attachments)];
    return found.length === 0 ? {} : { files: found };
  };
  return {
    ...rest,
    ...filesOf(common, shared),
    to: to.map(({ attachments, ...recipient }) => {
      if (attachments === undefined) return recipient;
      const printed = attachments.flatMap(({ id, filename, variables }) =>
        id === undefined ? [] : [{
          id: idOf(id, pdfs),
          ...(filename === undefined ? {} : { filename }),
          ...(variables === undefined ? {} : { variables }),
        }]
      );
      const hasNone = printed.length === 0 && attachments.length > 0;
      return {
        ...recipient,
        ...(hasNone ? {} : { attachments: printed }),
        ...filesOf(attachments),
      };
    }),
  };
}

/** Returns the files to keep: those of a batch too, which were stored when it was opened. */
function neededOf({ needed }: ResolvedFiles, common: readonly MailFile[]): NeededAsset[] {
  const known = new Set(needed.map(({ sha256 }) => sha256));
  const shared = new Set(common.map(({ sha256 }) => sha256).filter((sha256) => !known.has(sha256)));
  return [...needed, ...[...shared].map((sha256) => ({ sha256 }))];
}

function idOf(ref: PdfRef, pdfs: PdfVersions): number {
  const id = pdfs.get(ref)?.templateId;
  if (id === undefined) {
    throw new RangeError(`Cannot name PDF template "${ref}": it does not exist`);
  }
  return id;
}

function findTooManyPdfs({ size }: ReadonlySet<PdfRef>): Issue[] {
  if (size <= MAX_PDF_TEMPLATES) return [];
  const message = `must not use more than ${MAX_PDF_TEMPLATES} different PDF templates`;
  return [{ path: "to", code: "too_many", message }];
}

async function findPdfVersions(
  refs: ReadonlySet<PdfRef>,
  { latestPdfVersion }: SendContext,
): Promise<Map<PdfRef, PdfVersion>> {
  const found = new Map<PdfRef, PdfVersion>();
  await Promise.all([...refs].map(async (ref) => {
    const version = await latestPdfVersion(ref);
    if (version !== null) found.set(ref, version);
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
  /** The PDF templates that were looked up. */
  asked: ReadonlySet<PdfRef>;
  pdfs: PdfVersions;
}

function findUnknownPdfs(send: ReadableSend, { asked, pdfs }: PdfLookup): Issue[] {
  return send.to.flatMap(({ attachments = [] }, index) =>
    attachments.flatMap((attachment, position): Issue[] =>
      attachment === null || !asked.has(attachment.id) || pdfs.has(attachment.id) ? [] : [{
        path: `to.${index}.attachments.${position}.id`,
        code: "unknown_pdf_template",
        message: `there is no published PDF template "${attachment.id}"`,
      }]
    )
  );
}
