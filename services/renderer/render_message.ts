import {
  type EmailVersion,
  inLocale,
  type PdfEncryption,
  type PdfVersion,
  type RequestedRecipient,
  type Variables,
  variantFor,
} from "@posthaste/contracts";
import {
  type Fill,
  type FillResult,
  type RenderedInvoice,
  type TemplateSource,
  valuesOf,
} from "@posthaste/templating";

import { type AssetAddresses, mailAddresses } from "./kept_images.ts";

/** The templates of one event, by the names that its fills use. */
export type Templates = Record<string, TemplateSource>;

/** The fills of one recipient's message: the first is the mail, the others its PDFs. */
export interface MessagePlan {
  recipient: RequestedRecipient;
  fills: Fill[];
}

/** A published version of each template in an event. */
export interface Versions {
  email: EmailVersion;
  /** By id. */
  pdfs: ReadonlyMap<number, PdfVersion>;
  /** The images of the PDFs, by the id of their template. */
  images?: PdfImages | undefined;
}

/** The images of PDFs, by the id of their template. */
export type PdfImages = ReadonlyMap<number, AssetAddresses>;

/** The languages that messages are wanted in; `undefined` where none is named. */
export type Locales = ReadonlySet<string | undefined>;

/** Returns the languages that recipients are to be written in. */
export function localesOf(recipients: readonly Pick<RequestedRecipient, "locale">[]): Locales {
  return new Set(recipients.map(({ locale }) => locale));
}

/**
 * Names the templates of an event's versions, each in the languages that are wanted; the keys are those of compiled
 * templates.
 */
export function templatesOf({ email, pdfs, images }: Versions, locales: Locales): Templates {
  const templates: Templates = {};
  for (const locale of locales) {
    const body = inLocale(email, locale);
    const { subject, html, text } = body.parts;
    const assets = body.assets === undefined ? {} : { assets: mailAddresses(body.assets) };
    const name = namer(email, locale);
    templates[name("subject")] = sourceOf(body, "subject", subject);
    templates[name("html")] = { ...sourceOf(body, "html", html), ...assets };
    templates[name("text")] = sourceOf(body, "text", text);
  }
  return { ...templates, ...pdfTemplatesOf({ pdfs, images }, locales) };
}

/** Names the templates of PDFs, in the same way. */
export function pdfTemplatesOf(
  { pdfs, images }: Pick<Versions, "pdfs" | "images">,
  locales: Locales,
): Templates {
  const templates: Templates = {};
  for (const [id, version] of pdfs) {
    for (const locale of locales) {
      const body = inLocale(version, locale);
      const { html, filename, invoice } = body.parts;
      const assets = shownOf(body, images?.get(id));
      const name = namer(version, locale);
      templates[name(`pdf${id}`)] = {
        ...sourceOf(body, "html", html),
        ...(assets === undefined ? {} : { assets }),
      };
      templates[name(`filename${id}`)] = sourceOf(body, "filename", filename);
      if (invoice !== undefined) {
        templates[name(`invoice${id}`)] = sourceOf(body, "invoice", invoice);
      }
    }
  }
  return templates;
}

/** Returns the addresses of the images in one body of a PDF template. */
function shownOf({ assets }: PdfVersion, all: AssetAddresses | undefined) {
  if (assets === undefined || all === undefined) return undefined;
  return Object.fromEntries(assets.flatMap(({ name }) => {
    const address = all[name];
    return address === undefined ? [] : [[name, address]];
  }));
}

/** Returns a function that names the templates of the body in a language: `html`, or `html@de` for a variant. */
function namer(version: EmailVersion | PdfVersion, locale: string | undefined) {
  const tag = variantFor(version, locale);
  return (part: string) => tag === null ? part : `${part}@${tag}`;
}

function sourceOf(
  { _id, locale }: EmailVersion | PdfVersion,
  part: string,
  source: string,
): TemplateSource {
  return { key: `${_id}/${part}`, source, escape: ESCAPES[part] ?? "none", locale };
}

const ESCAPES: Readonly<Record<string, TemplateSource["escape"]>> = {
  html: "html",
  invoice: "xml",
};

/** Returns the names of the templates that one PDF fills. */
export function pdfTemplateNames(
  id: number,
  version: PdfVersion | undefined,
  locale: string | undefined,
): string[] {
  if (version === undefined) return [`pdf${id}`, `filename${id}`];
  const hasInvoice = inLocale(version, locale).parts.invoice !== undefined;
  return [`pdf${id}`, `filename${id}`, ...(hasInvoice ? [`invoice${id}`] : [])]
    .map(namer(version, locale));
}

/**
 * Plans the fills of one recipient's message. The lowest level wins, key by key (docs/interface.md,
 * section 4.2): the mail sees the recipient's variables over the common ones, a PDF its own over both.
 */
export function planMessage(
  recipient: RequestedRecipient,
  common: Variables | undefined,
  { email, pdfs }: Versions,
): MessagePlan {
  const levels = { top: common, recipient: recipient.variables };
  const mail: Fill = {
    use: ["subject", "html", "text"].map(namer(email, recipient.locale)),
    data: valuesOf(levels, email.variables),
  };
  const attachments = (recipient.attachments ?? []).map((attachment): Fill => ({
    use: pdfTemplateNames(attachment.id, pdfs.get(attachment.id), recipient.locale),
    data: valuesOf(
      { ...levels, attachment: attachment.variables },
      pdfs.get(attachment.id)?.variables ?? [],
    ),
  }));
  return { recipient, fills: [mail, ...attachments] };
}

/** A message's texts, or the reason why it failed. */
export type RenderResult =
  | { ok: true; subject: string; html: string; text: string; pdfs: RenderedPdf[] }
  | { ok: false; reason: string; outage: boolean };

/** A PDF's HTML and its file name from the template. */
export interface RenderedPdf {
  templateId: number;
  html: string;
  filename: string;
  /** The filled XML of its invoice, to be checked by `finishPdfs()`. */
  xml?: string | undefined;
  /** Its checked invoice. */
  invoice?: RenderedInvoice;
  /** What it was filled with, which may have its password. */
  values?: Fill["data"] | undefined;
  /** What encrypts it. */
  encryption?: PdfEncryption;
  /** The PDFs that are appended, in base64. */
  append?: string[];
}

/** The longest subject, in characters: it travels in the event, which has a limit. */
export const MAX_SUBJECT_LENGTH = 10_000;

/**
 * The longest texts of one message, mail and PDFs together, in characters: a renderer holds them until
 * they are stored. A mail may have 25 MB in all.
 */
export const MAX_MESSAGE_LENGTH = 20_000_000;

/**
 * Returns whether a part of the message was left out because the texts before it fill the request's budget.
 */
export function isLeft(results: readonly FillResult[]): boolean {
  return results.some((result) => !result.ok && result.error.code === "later");
}

/** Reads the results of a message's fills, in the order of its plan. */
export function readFills(plan: MessagePlan, results: FillResult[]): RenderResult {
  const failed = results.find((result) => !result.ok);
  if (failed && !failed.ok) {
    const { code, message } = failed.error;
    if (code === "later") {
      const reason = `the message's texts have more than ${MAX_MESSAGE_LENGTH} characters`;
      return { ok: false, reason, outage: false };
    }
    return { ok: false, reason: message, outage: code === "closed" || code === "sandbox" };
  }
  const [mail, ...attachments] = results.map((result) =>
    result.ok ? withoutTags(result.parts) : {}
  );
  // A subject must not contain a line break.
  const subject = (mail?.["subject"] ?? "").replace(/[\r\n]+/g, " ").trim();
  if (subject.length > MAX_SUBJECT_LENGTH) {
    const reason = `the subject has more than ${MAX_SUBJECT_LENGTH} characters`;
    return { ok: false, reason, outage: false };
  }
  return {
    ok: true,
    subject,
    html: mail?.["html"] ?? "",
    text: mail?.["text"] ?? "",
    pdfs: (plan.recipient.attachments ?? []).map(({ id, filename }, position) => ({
      templateId: id,
      html: attachments[position]?.[`pdf${id}`] ?? "",
      filename: filename ?? attachments[position]?.[`filename${id}`] ?? "",
      ...xmlOf(attachments[position]?.[`invoice${id}`]),
      values: plan.fills[position + 1]?.data,
    })),
  };
}

/** Returns the texts of a fill by the names of their parts: `html@de` becomes `html`. */
function withoutTags(parts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, text]) => [name.split("@", 1)[0] ?? name, text]),
  );
}

function xmlOf(xml: string | undefined): Pick<RenderedPdf, "xml"> {
  return xml === undefined ? {} : { xml };
}
