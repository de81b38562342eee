import { LanguageField } from "../../parts/language_field.tsx";
import { canonicalTag } from "../../parts/language_tag.ts";

/** The language of the template's own body. Helpers use its rules for numbers and dates. */
export function LocaleInput({ value, readOnly, onChange }: {
  value: string;
  readOnly: boolean;
  onChange: (locale: string) => void;
}) {
  return (
    <LanguageField
      label="Default language"
      description="The default text is in this language, for example en or pt-BR. Its numbers and dates follow it."
      size="sm"
      styles={{ wrapper: { maxWidth: 340 } }}
      value={value}
      readOnly={readOnly}
      onChange={onChange}
      error={canonicalTag(value) === null ? "Enter a language tag such as en or pt-BR" : undefined}
    />
  );
}
