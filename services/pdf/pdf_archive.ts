import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import type { InvoiceProfile } from "@posthaste/contracts";
import { archiveMetadata, INVOICE_FILE } from "./archive_metadata.ts";
import { authoredInfo } from "./pdf_author.ts";
import { PdfUpdate } from "./pdf_update.ts";
import { infoText } from "./pdf_info.ts";
import { srgbProfile } from "./srgb_profile.ts";

/** What an archived document has besides its pages. */
export interface ArchiveOptions {
  author?: string | undefined;
  /** Creation time of the PDF, which is in its information dictionary. */
  madeAt: Date;
  invoice?: AttachedInvoice | undefined;
}

/** An invoice as XML, attached to the document. */
export interface AttachedInvoice {
  xml: string;
  profile: InvoiceProfile;
}

const deflated = promisify(deflate);

const PROFILE = srgbProfile();

/** MINIMUM and BASIC WL are no invoice in themselves (Factur-X 1.0.7, section 6.2.1). */
const DATA_PROFILES: readonly InvoiceProfile[] = ["minimum", "basic_wl"];

/**
 * Returns a PDF of Chromium as PDF/A-3b (ISO 19005-3): with metadata, an output intent and an id, and the
 * invoice as an associated file. The printed bytes stay as they are, and are valid: Chromium embeds fonts,
 * marks links for print, and writes no scripts, no encryption and no LZW.
 *
 * @throws {RangeError} If the PDF is not as Chromium writes it.
 */
export async function archived(
  pdf: Buffer,
  { author, madeAt, invoice }: ArchiveOptions,
): Promise<Buffer> {
  const update = new PdfUpdate(pdf);
  const info = update.dictionary(update.info);
  const packet = archiveMetadata({
    title: infoText(info, "Title"),
    author,
    creator: infoText(info, "Creator") ?? "Chromium",
    producer: infoText(info, "Producer") ?? "Skia/PDF",
    madeAt,
    profile: invoice?.profile,
  });
  // Not compressed, so that programs that know no PDF find it.
  const metadata = update.addStream("/Type /Metadata\n/Subtype /XML", Buffer.from(packet));
  const colors = update.addStream("/N 3", PROFILE);
  const catalog = [
    update.dictionary(update.root),
    "/Version /1.7",
    `/Metadata ${metadata} 0 R`,
    `/OutputIntents [<</Type /OutputIntent\n/S /GTS_PDFA1\n/OutputConditionIdentifier (sRGB)\n` +
    `/Info (sRGB)\n/DestOutputProfile ${colors} 0 R>>]`,
    ...invoice === undefined ? [] : [await attached(update, invoice, madeAt)],
  ];
  update.replace(update.root, `<<${catalog.join("\n")}>>`);
  if (author !== undefined) update.replace(update.info, authoredInfo(update, author));
  return update.finish((before) => {
    const id = hashOf("sha256", before).slice(0, 32);
    return `\n/ID [<${id}><${id}>]`;
  });
}

/** Adds the file, and returns its fields in the catalog. */
async function attached(
  update: PdfUpdate,
  { xml, profile }: AttachedInvoice,
  madeAt: Date,
): Promise<string> {
  const bytes = Buffer.from(xml);
  const date = `D:${madeAt.toISOString().replace(/\D/g, "").slice(0, 14)}+00'00'`;
  const file = update.addStream(
    `/Type /EmbeddedFile\n/Subtype /text#2Fxml\n/Filter /FlateDecode\n/Params <</Size ${bytes.length}\n` +
      `/CreationDate (${date})\n/ModDate (${date})\n/CheckSum <${hashOf("md5", [bytes])}>>>`,
    await deflated(bytes),
  );
  const relation = DATA_PROFILES.includes(profile) ? "Data" : "Alternative";
  const specification = update.add(
    `<</Type /Filespec\n/F (${INVOICE_FILE})\n/UF (${INVOICE_FILE})\n` +
      `/AFRelationship /${relation}\n/Desc (Invoice)\n/EF <</F ${file} 0 R\n/UF ${file} 0 R>>>>`,
  );
  return `/AF [${specification} 0 R]\n` +
    `/Names <</EmbeddedFiles <</Names [(${INVOICE_FILE}) ${specification} 0 R]>>>>`;
}

/** MD5 is the checksum that ISO 32000-1, 7.11.4 prescribes. It protects nothing. */
function hashOf(algorithm: "md5" | "sha256", parts: readonly Buffer[]): string {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
