import type { GivenLabels, Send } from "@posthaste/contracts";
import { emailsOf, type StoredSend } from "./_collections.ts";
import { copyFieldsOfSend } from "./_copies.ts";

/** The fields by which a send is found by its labels. */
export type LabelFields = Pick<StoredSend, "references" | "tags" | "labels" | "hasOwnLabels">;

/** The languages of a send's mails. */
export type LocaleFields = Pick<StoredSend, "locale" | "hasOwnLocales">;

/** Returns a send as it is stored. Its idempotency key is stored elsewhere. */
export function toStored({ idempotency: _key, ...send }: Send): StoredSend {
  const { from, to } = send.request;
  return {
    ...send,
    request: JSON.stringify(send.request),
    from,
    emails: emailsOf(to),
    ...copyFieldsOfSend(send.request),
    ...assetFieldOf(send.request),
    ...pdfFieldOf(send.request),
    ...localeFieldsOf(send.request),
    ...labelFieldsOf(send.request),
  };
}

/** Returns the send of a stored document. */
export function toSend(
  { from: _from, contentDue: _due, reconciledBy: _by, emails: _to, request, ...stored }: StoredSend,
): Send {
  const {
    copies: _copies,
    assets: _assets,
    pdfs: _pdfs,
    locale: _locale,
    hasOwnLocales: _ownLocales,
    references: _r,
    tags: _t,
    labels: _l,
    hasOwnLabels: _own,
    reopened: _count,
    endStates: _ends,
    ...send
  } = stored;
  return { ...send, request: JSON.parse(request) };
}

/** Returns the files by which a send is found; no field if there are none. */
export function assetFieldOf({ files = [], to }: Send["request"]): { assets?: string[] } {
  const all = [...files, ...to.flatMap((recipient) => recipient.files ?? [])];
  return all.length === 0 ? {} : { assets: unique(all.map(({ sha256 }) => sha256)) };
}

/** Returns whose mails have PDFs; no field if none has. */
function pdfFieldOf({ to }: Send["request"]): Pick<StoredSend, "pdfs"> {
  const marks = to.map(({ attachments = [] }) => attachments.length > 0 ? "1" : "0").join("");
  if (!marks.includes("1")) return {};
  return { pdfs: marks.includes("0") ? marks : true };
}

/** Returns whether the mail of a send's recipient has PDFs. */
export function hasPdfs(pdfs: StoredSend["pdfs"], index: number): boolean {
  return pdfs === true || pdfs?.[index] === "1";
}

/** Returns the languages that a request names; a field without a value is left out. */
export function localeFieldsOf({ locale, to }: Send["request"]): LocaleFields {
  const hasOwn = to.some((recipient) => recipient.locale !== undefined);
  return {
    ...(locale === undefined ? {} : { locale }),
    ...(hasOwn ? { hasOwnLocales: true } : {}),
  };
}

/** Returns the labels by which a request is found; a field without a value is left out. */
export function labelFieldsOf(
  { to, ...top }: Pick<Send["request"], "to"> & GivenLabels,
): LabelFields {
  const all = [top, ...to];
  const references = unique(all.flatMap(({ reference }) => reference ?? []));
  const tags = unique(all.flatMap(({ tags }) => tags ?? []));
  const hasOwn = to.some((recipient) => isLabelled(recipient));
  const { reference, tags: topTags, metadata } = top;
  return {
    ...(references.length > 0 ? { references } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(isLabelled(top) ? { labels: JSON.stringify({ reference, tags: topTags, metadata }) } : {}),
    ...(hasOwn ? { hasOwnLabels: true } : {}),
  };
}

function isLabelled({ reference, tags, metadata }: GivenLabels): boolean {
  return reference !== undefined || tags !== undefined || metadata !== undefined;
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)];
}
