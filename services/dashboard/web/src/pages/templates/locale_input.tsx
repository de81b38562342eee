import { Autocomplete } from "@mantine/core";

/** Languages to choose from; others can be typed. */
export const COMMON_LANGUAGES = [
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

/** The language of the template's own body. Helpers use its rules for numbers and dates. */
export function LocaleInput({ value, readOnly, onChange }: {
  value: string;
  readOnly: boolean;
  onChange: (locale: string) => void;
}) {
  return (
    <Autocomplete
      label="Default language"
      description="Of the text that is sent where no other language fits, for example en or pt-BR. Numbers and dates follow it."
      size="sm"
      styles={{ wrapper: { maxWidth: 340 } }}
      data={COMMON_LANGUAGES}
      value={value}
      readOnly={readOnly}
      onChange={onChange}
      error={isLocale(value) ? undefined : "Enter a language tag such as en or pt-BR"}
    />
  );
}

function isLocale(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}
