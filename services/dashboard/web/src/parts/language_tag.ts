/** Languages to choose from; others can be typed. */
export const COMMON_LANGUAGES: readonly string[] = [
  "en",
  "en-GB",
  "en-US",
  "de",
  "fr",
  "es",
  "it",
  "nl",
  "pl",
  "pt-BR",
  "sv",
  "ja",
];

/** Returns a language tag in its canonical form; null if it is none. */
export function canonicalTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text.trim())[0] ?? null;
  } catch {
    return null;
  }
}

/** Returns the name of a language in English: `German (Austria)`. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
