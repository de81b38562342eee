import { tagsOf } from "./html_tags.ts";

/**
 * Returns a document with its language at the root, `<html>` or `<mjml>`, unless its author wrote one there.
 * Screen readers and translators choose by it.
 *
 * @param locale BCP 47 tag. Without one, the document stays as it is.
 */
export function withLanguage(document: string, locale: string | undefined): string {
  if (locale === undefined) return document;
  for (const { name, attributes, start } of tagsOf(document)) {
    if (name === "body" || name === "mj-body") break;
    if (name !== "html" && name !== "mjml") continue;
    if (attributes.some((one) => one.name === "lang")) return document;
    const end = start + 1 + name.length;
    return `${document.slice(0, end)} lang="${locale}"${document.slice(end)}`;
  }
  return document;
}
