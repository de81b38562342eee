import type { TemplateKind } from "@posthaste/contracts";

/** The most bytes of each file. The template check has further limits. */
export const MAX_FILE_BYTES: Readonly<Record<string, number>> = {
  "template.json": 256 * 1024,
  "sample.json": 1024 * 1024,
  "subject.hbs": 16 * 1024,
  "body.html.hbs": 2 * 1024 * 1024,
  "body.mjml": 2 * 1024 * 1024,
  "text.txt.hbs": 512 * 1024,
  "invoice.xml": 2 * 1024 * 1024,
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

/** Returns whether a template of a kind may have a file of this name. */
export function isTemplateFile(kind: TemplateKind, name: string): boolean {
  return FILES[kind].includes(name);
}
