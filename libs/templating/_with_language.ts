import { tagsOf } from "./html_tags.ts";

/**
 * Returns a document with its language at the root, `<html>` or `<mjml>`, and its direction if that is from right to
 * left, unless its author wrote them there. Screen readers and translators choose by it.
 *
 * @param locale BCP 47 tag. Without one, the document stays as it is.
 */
export function withLanguage(document: string, locale: string | undefined): string {
  if (locale === undefined) return document;
  for (const { name, attributes, start } of tagsOf(document)) {
    if (name === "body" || name === "mj-body") break;
    if (name !== "html" && name !== "mjml") continue;
    const given = (wanted: string) => attributes.find(({ name }) => name === wanted)?.value;
    const lang = given("lang");
    const added = [
      ...(lang === undefined ? [` lang="${locale}"`] : []),
      ...(given("dir") === undefined && isRightToLeft(lang ?? locale) ? [' dir="rtl"'] : []),
    ];
    const end = start + 1 + name.length;
    return `${document.slice(0, end)}${added.join("")}${document.slice(end)}`;
  }
  return document;
}

/** Returns whether a language is written from right to left. */
function isRightToLeft(tag: string): boolean {
  try {
    return new Intl.Locale(tag).getTextInfo().direction === "rtl";
  } catch {
    // An author's own `lang` may be a placeholder.
    return false;
  }
}
