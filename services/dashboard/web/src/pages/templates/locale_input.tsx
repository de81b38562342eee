import { Autocomplete } from "@mantine/core";

const COMMON = ["en", "en-GB", "en-US", "de", "fr", "es", "it", "nl", "pl", "pt-BR", "sv", "ja"];

/** The language whose rules helpers use for numbers and dates. */
export function LocaleInput({ value, readOnly, onChange }: {
  value: string;
  readOnly: boolean;
  onChange: (locale: string) => void;
}) {
  return (
    <Autocomplete
      label="Language of numbers and dates"
      description="For example en, de or pt-BR. A helper in the template can use another."
      size="sm"
      styles={{ wrapper: { maxWidth: 340 } }}
      data={COMMON}
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
