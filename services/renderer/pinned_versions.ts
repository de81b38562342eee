import {
  type EmailVersion,
  inLocale,
  type PdfVersion,
  type RequestedRecipient,
  type Send,
} from "@posthaste/contracts";
import type { AssetAddresses, KeptImages } from "./kept_images.ts";
import { type Locales, localesOf, type PdfImages, type Versions } from "./render_message.ts";

/** The reader of versions. */
export interface VersionSource {
  emailVersion(accountId: string, id: number, version: number): Promise<EmailVersion | null>;
  pdfVersion(accountId: string, id: number, version: number): Promise<PdfVersion | null>;
  kept: Pick<KeptImages, "embedded">;
}

/** The fields of an event that name versions. */
export interface Pinned {
  head: Pick<Send, "accountId" | "template" | "pdfVersions">;
  recipients: readonly Pick<RequestedRecipient, "attachments" | "locale">[];
}

/** Finds the pinned versions, or returns which one is missing. */
export async function pinnedVersions(
  { head, recipients }: Pinned,
  deps: VersionSource,
): Promise<Versions | string> {
  const { accountId, template } = head;
  const email = await deps.emailVersion(accountId, template.id, template.version);
  if (email === null) return `version ${template.version} of template ${template.id} is missing`;
  const pdfs = new Map<number, PdfVersion>();
  const ids = recipients.flatMap(({ attachments }) => (attachments ?? []).map(({ id }) => id));
  for (const id of new Set(ids)) {
    const pdf = await deps.pdfVersion(accountId, id, head.pdfVersions[id] ?? 0);
    if (pdf === null) return `the pinned version of PDF template ${id} is missing`;
    pdfs.set(id, pdf);
  }
  const images = await imagesOf(pdfs.values(), localesOf(recipients), deps);
  return typeof images === "string" ? images : { email, pdfs, images };
}

/**
 * Loads the images that PDF templates show in some languages, and the PDFs that they append, or returns which one
 * is missing.
 */
export async function imagesOf(
  pdfs: Iterable<PdfVersion>,
  locales: Locales,
  { kept }: Pick<VersionSource, "kept">,
): Promise<PdfImages | string> {
  const images = new Map<number, AssetAddresses>();
  for (const pdf of pdfs) {
    const { accountId, templateId } = pdf;
    const shown = [...locales].flatMap((locale) => inLocale(pdf, locale).assets ?? []);
    if (shown.length === 0) continue;
    const assets = [...new Map(shown.map((asset) => [asset.name, asset])).values()];
    const addresses = await kept.embedded(accountId, assets);
    const lost = assets.find(({ name }) => addresses[name] === undefined);
    if (lost !== undefined) {
      return `the stored file "${lost.name}" of PDF template ${templateId} is no longer stored`;
    }
    images.set(templateId, addresses);
  }
  return images;
}
