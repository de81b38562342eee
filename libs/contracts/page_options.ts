import { z } from "zod";

/** Paper sizes by name. */
export const PAGE_FORMATS = ["A3", "A4", "A5", "Letter", "Legal", "Tabloid"] as const;

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
  /** `remote`: images that the HTML names by `http` or `https` are fetched before it is printed. */
  images: z.enum(["none", "remote"]).default("none"),
  /** What becomes of a message whose PDF asks for something that cannot be loaded. */
  missing: z.enum(["fail", "leave_out"]).default("fail"),
  /** Whether the PDF says what its headings, tables, lists and pictures are, for screen readers. */
  tagged: z.boolean().optional(),
  /** Whether a tagged PDF has an outline, made of its headings. */
  outline: z.boolean().optional(),
  /** Language of the text, in place of the one that the HTML says: a tag of BCP 47. */
  language: z.string().max(35).regex(/^[a-zA-Z]{2,8}(?:-[a-zA-Z0-9]{1,8})*$/, {
    error: "must be a language tag such as en or de-AT",
  }).optional(),
  author: z.string().trim().min(1).max(200).regex(/^\P{Cc}*$/u, {
    error: "must not have control characters",
  }).optional(),
};

/**
 * Schema of how a PDF template is printed, as a person writes it: unknown keys are refused. Header and
 * footer are plain text in the page's margin boxes (CSS Paged Media), where `{page}` and `{pages}` stand
 * for the page's number and their count.
 */
export const pageOptionsSchema = z.strictObject({
  ...SHAPE,
  margin: z.strictObject(MARGIN).prefault({}),
  header: z.strictObject(MARGIN_TEXT).optional(),
  footer: z.strictObject(MARGIN_TEXT).optional(),
});

/** The same as it lies in the ledger and travels in events: keys of a newer version are passed over. */
export const keptPageOptionsSchema = z.object({
  ...SHAPE,
  margin: z.object(MARGIN).prefault({}),
  header: z.object(MARGIN_TEXT).optional(),
  footer: z.object(MARGIN_TEXT).optional(),
});

/** How a PDF template is printed, every default filled in. */
export type PageOptions = z.infer<typeof pageOptionsSchema>;

/** How a person writes page options: everything may be left out. */
export type PageOptionsInput = z.input<typeof pageOptionsSchema>;
