import type { InvoiceProfile } from "@posthaste/contracts";

/** Name of the attached invoice. Factur-X prescribes it. */
export const INVOICE_FILE = "factur-x.xml";

/** What the metadata of a document says. Each field equals one of the information dictionary. */
export interface ArchiveMetadata {
  title?: string | undefined;
  author?: string | undefined;
  creator: string;
  producer: string;
  madeAt: Date;
  /** Profile of the attached invoice. */
  profile?: InvoiceProfile | undefined;
}

/** The names of the profiles in the metadata (Factur-X 1.0.7, section 6.2.2). */
const CONFORMANCE_LEVELS: Record<InvoiceProfile, string> = {
  minimum: "MINIMUM",
  basic_wl: "BASIC WL",
  basic: "BASIC",
  en16931: "EN 16931",
  extended: "EXTENDED",
};

const NAMESPACE = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#";

/** The properties of Factur-X, which PDF/A requires to be described. */
const INVOICE_PROPERTIES = {
  DocumentFileName: "The name of the embedded XML document",
  DocumentType: "The type of the hybrid document in capital letters, e.g. INVOICE or ORDER",
  Version: "The actual version of the standard applying to the embedded XML document",
  ConformanceLevel: "The conformance level of the embedded XML document",
};

/** Returns the XMP packet of a PDF/A-3b document (ISO 16684-1; ISO 19005-3, 6.6). */
export function archiveMetadata(metadata: ArchiveMetadata): string {
  const { title, author, creator, producer, madeAt, profile } = metadata;
  const date = madeAt.toISOString().replace(/\.\d+Z$/, "+00:00");
  const descriptions = [
    description("pdfaid", "http://www.aiim.org/pdfa/ns/id/", [
      element("pdfaid:part", "3"),
      element("pdfaid:conformance", "B"),
    ]),
    description("dc", "http://purl.org/dc/elements/1.1/", [
      title === undefined
        ? ""
        : `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${
          escaped(title)
        }</rdf:li></rdf:Alt></dc:title>`,
      author === undefined
        ? ""
        : `<dc:creator><rdf:Seq>${element("rdf:li", author)}</rdf:Seq></dc:creator>`,
    ]),
    description("pdf", "http://ns.adobe.com/pdf/1.3/", [element("pdf:Producer", producer)]),
    description("xmp", "http://ns.adobe.com/xap/1.0/", [
      element("xmp:CreatorTool", creator),
      element("xmp:CreateDate", date),
      element("xmp:ModifyDate", date),
    ]),
    ...profile === undefined ? [] : invoiceDescriptions(profile),
  ];
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>\n` +
    `<x:xmpmeta xmlns:x="adobe:ns:meta/">` +
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n` +
    `${descriptions.join("")}</rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>`;
}

function invoiceDescriptions(profile: InvoiceProfile): string[] {
  const properties = Object.entries(INVOICE_PROPERTIES).map(([name, text]) =>
    `<rdf:li rdf:parseType="Resource">${element("pdfaProperty:name", name)}${
      element("pdfaProperty:valueType", "Text")
    }${element("pdfaProperty:category", "external")}${
      element("pdfaProperty:description", text)
    }</rdf:li>\n`
  );
  const schema =
    `<rdf:li rdf:parseType="Resource">${
      element("pdfaSchema:schema", "Factur-X PDFA Extension Schema")
    }${element("pdfaSchema:namespaceURI", NAMESPACE)}${element("pdfaSchema:prefix", "fx")}` +
    `<pdfaSchema:property><rdf:Seq>\n${
      properties.join("")
    }</rdf:Seq></pdfaSchema:property></rdf:li>`;
  return [
    description("fx", NAMESPACE, [
      element("fx:DocumentType", "INVOICE"),
      element("fx:DocumentFileName", INVOICE_FILE),
      element("fx:Version", "1.0"),
      element("fx:ConformanceLevel", CONFORMANCE_LEVELS[profile]),
    ]),
    `<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"` +
    ` xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"` +
    ` xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">` +
    `<pdfaExtension:schemas><rdf:Bag>${schema}</rdf:Bag></pdfaExtension:schemas>` +
    `</rdf:Description>\n`,
  ];
}

function description(prefix: string, namespace: string, elements: readonly string[]): string {
  const content = elements.join("");
  if (content === "") return "";
  return `<rdf:Description rdf:about="" xmlns:${prefix}="${namespace}">${content}</rdf:Description>\n`;
}

function element(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Characters that XML cannot contain (XML 1.0, 2.2) are left out. */
function escaped(text: string): string {
  return text.toWellFormed()
    // deno-lint-ignore no-control-regex
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replace(/[&<>]/g, (char) => ENTITIES[char] ?? "");
}
