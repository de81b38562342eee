import { z } from "zod";
import { assetNameSchema } from "./mail_file.ts";

/** Paper sizes by name. */
const PAGE_FORMATS = ["A3", "A4", "A5", "Letter", "Legal", "Tabloid"] as const;

/** The most stored PDFs that are appended to one PDF. */
const MAX_APPENDED = 5;

/** The most bytes of the stored PDFs that are appended to one PDF. */
export const MAX_APPENDED_BYTES = 4_000_000;

/** Profiles of Factur-X and ZUGFeRD, the smallest first. */
export const INVOICE_PROFILES = ["minimum", "basic_wl", "basic", "en16931", "extended"] as const;

/** A profile of Factur-X and ZUGFeRD: which fields an invoice has. */
export type InvoiceProfile = (typeof INVOICE_PROFILES)[number];

const cssLengthSchema = z.string().regex(/^\d+(?:\.\d+)?(?:mm|cm|in|px|pt)$/, {
  error: "must be a length such as 18mm, 1.5cm, 0.5in, 20px or 12pt",
});

const text = z.string().max(200).optional();
const MARGIN_TEXT = { left: text, center: text, right: text };

const MARGIN = {
  top: cssLengthSchema.default("15mm"),
  right: cssLengthSchema.default("15mm"),
  bottom: cssLengthSchema.default("15mm"),
  left: cssLengthSchema.default("15mm"),
};

const SHAPE = {
  format: z.union([
    z.enum(PAGE_FORMATS),
    z.strictObject({ width: cssLengthSchema, height: cssLengthSchema }),
  ]).default("A4"),
  orientation: z.enum(["portrait", "landscape"]).default("portrait"),
  background: z.boolean().default(true),
  /** `remote`: images with `http` or `https` addresses are fetched before printing. */
  images: z.enum(["none", "remote"]).default("none"),
  /** How to handle a message whose PDF refers to a resource that cannot be loaded. */
  missing: z.enum(["fail", "leave_out"]).default("fail"),
  /**
   * How to handle a message whose PDF has a character for which no font has a glyph. `mark` sends it with a
   * warning. @default `ignore`
   */
  missingGlyphs: z.enum(["fail", "mark", "ignore"]).optional(),
  /** Whether the PDF marks its headings, tables, lists and pictures for screen readers. */
  tagged: z.boolean().optional(),
  /** Whether a tagged PDF has an outline, made from its headings. */
  outline: z.boolean().optional(),
  /** Language of the text, a BCP 47 tag. It replaces the language in the HTML. */
  language: z.string().max(35).regex(/^[a-zA-Z]{2,8}(?:-[a-zA-Z0-9]{1,8})*$/, {
    error: "must be a language tag such as en or de-AT",
  }).optional(),
  author: z.string().trim().min(1).max(200).regex(/^\P{Cc}*$/u, {
    error: "must not have control characters",
  }).optional(),
  /** `pdf/a-3b`: the PDF conforms to PDF/A-3b, for archives. */
  conformance: z.enum(["pdf/a-3b"]).optional(),
  /** Profile of the invoice XML of the template, which is attached to a PDF/A-3b. */
  invoice: z.enum(INVOICE_PROFILES).optional(),
  /**
   * Name of the variable whose value opens the PDF, such as `password` or `customer.number`. The PDF is
   * encrypted with AES-256. PDF/A forbids that.
   */
  passwordVariable: z.string().max(200).regex(/^[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*$/, {
    error: "must be the name of a variable such as password or customer.number",
  }).optional(),
  /** Names of stored PDFs whose pages follow the printed ones. */
  append: z.array(assetNameSchema).max(MAX_APPENDED).optional(),
};

/**
 * Schema of the page options of a PDF template for people: it refuses unknown keys. Header and footer are
 * plain text in the page's margin boxes (CSS Paged Media), where `{page}` and `{pages}` become the page's
 * number and the number of pages.
 */
export const pageOptionsSchema = z.strictObject({
  ...SHAPE,
  margin: z.strictObject(MARGIN).prefault({}),
  header: z.strictObject(MARGIN_TEXT).optional(),
  footer: z.strictObject(MARGIN_TEXT).optional(),
});

/** Schema of the same options in the ledger and in events: it ignores keys of a newer version. */
export const keptPageOptionsSchema = z.object({
  ...SHAPE,
  margin: z.object(MARGIN).prefault({}),
  header: z.object(MARGIN_TEXT).optional(),
  footer: z.object(MARGIN_TEXT).optional(),
});

/** Page options of a PDF template, with every default filled in. */
export type PageOptions = z.infer<typeof pageOptionsSchema>;

/** Page options in requests: every key is optional. */
export type PageOptionsInput = z.input<typeof pageOptionsSchema>;
