import type { BodySource, DraftSource } from "@posthaste/contracts";
import { fileOfPart } from "./file_of_part.ts";
import type { Authored } from "./read_bundle.ts";

/** Returns an author's files in the form that an editor uses. */
export function sourceOfAuthored(template: Authored): DraftSource {
  const { settings: { locale, variables }, sample = {} } = template;
  const variants = Object.keys(template.variants).map((tag) => [tag, bodyOf(template, tag)]);
  return {
    ...bodyOf(template, null),
    ...(variants.length === 0 ? {} : { variants: Object.fromEntries(variants) }),
    ...{ locale, variables, sample },
    page: template.kind === "pdf" ? template.settings.page : null,
  };
}

function bodyOf(template: Authored, tag: string | null): BodySource {
  const { files, kind } = template;
  const fileOf = (name: string) => files[tag === null ? name : `${tag}/${name}`];
  const html = files[fileOfPart(template, "html", tag)] ?? "";
  if (kind === "pdf") {
    const invoice = fileOf("invoice.xml");
    // A variant without a name of its own has that of the template.
    const own = tag === null ? undefined : fileOf("filename.hbs");
    const filename = own?.replace(/\n$/, "") ?? template.settings.filename;
    return { subject: "", html, text: "", filename, ...(invoice === undefined ? {} : { invoice }) };
  }
  const { subject = "", text = "" } = {
    subject: fileOf("subject.hbs"),
    text: fileOf("text.txt.hbs"),
  };
  return { subject, html, text, filename: "" };
}
