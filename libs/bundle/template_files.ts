import { canonicalLocale, type TemplateKind } from "@posthaste/contracts";

/** The most bytes of each file. The template check has further limits. */
const MAX_FILE_BYTES: Readonly<Record<string, number>> = {
  "template.json": 256 * 1024,
  "sample.json": 1024 * 1024,
  "subject.hbs": 16 * 1024,
  "body.html.hbs": 2 * 1024 * 1024,
  "body.mjml": 2 * 1024 * 1024,
  "text.txt.hbs": 512 * 1024,
  "invoice.xml": 2 * 1024 * 1024,
  "filename.hbs": 16 * 1024,
};

const FILES: Readonly<Record<TemplateKind, readonly string[]>> = {
  email: [
    ...["template.json", "subject.hbs", "body.html.hbs", "body.mjml", "text.txt.hbs"],
    "sample.json",
  ],
  pdf: ["template.json", "body.html.hbs", "invoice.xml", "sample.json"],
};

/** Files that every template of a kind must have. */
export const NEEDED_FILES: Readonly<Record<TemplateKind, readonly string[]>> = {
  email: ["template.json", "subject.hbs"],
  pdf: ["template.json", "body.html.hbs"],
};

/** Files that a language variant may have, in a folder named by its tag. */
const VARIANT_FILES: Readonly<Record<TemplateKind, readonly string[]>> = {
  email: ["subject.hbs", "body.html.hbs", "body.mjml", "text.txt.hbs"],
  pdf: ["body.html.hbs", "invoice.xml", "filename.hbs"],
};

/**
 * Returns whether a template of a kind may have a file of this name: `subject.hbs`, or `de/subject.hbs` for a
 * language variant.
 */
export function isTemplateFile(kind: TemplateKind, name: string): boolean {
  const { tag, file } = partsOfFile(name);
  if (tag === undefined) return FILES[kind].includes(file);
  return canonicalLocale(tag) !== undefined && VARIANT_FILES[kind].includes(file);
}

/** Returns the most bytes of a file of a template, by its name. */
export function maxBytesOf(name: string): number {
  return MAX_FILE_BYTES[partsOfFile(name).file] ?? 0;
}

/** Divides the name of a file within a template's folder: `de/subject.hbs` is the variant `de`. */
export function partsOfFile(name: string): { tag?: string; file: string } {
  const slash = name.indexOf("/");
  return slash < 0 ? { file: name } : { tag: name.slice(0, slash), file: name.slice(slash + 1) };
}
