import type { DraftSource } from "@posthaste/contracts";
import type { Authored } from "./read_bundle.ts";

/** Returns an author's files in the form that an editor uses. */
export function sourceOfAuthored(template: Authored): DraftSource {
  const { files, bodyFile, settings: { locale, variables }, sample = {} } = template;
  const common = { html: files[bodyFile] ?? "", locale, variables, sample };
  if (template.kind === "pdf") {
    const { filename, page } = template.settings;
    const { "invoice.xml": invoice } = files;
    const xml = invoice === undefined ? {} : { invoice };
    return { ...common, subject: "", text: "", filename, ...xml, page };
  }
  const { "subject.hbs": subject = "", "text.txt.hbs": text = "" } = files;
  return { ...common, subject, text, filename: "", page: null };
}
