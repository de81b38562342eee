import { Autocomplete, type AutocompleteProps, Group, Text } from "@mantine/core";
import { COMMON_LANGUAGES, languageName } from "./language_tag.ts";

/** A field for a language tag, which offers the common ones with their names. */
export function LanguageField({ data = COMMON_LANGUAGES, ...rest }: AutocompleteProps) {
  return (
    <Autocomplete
      placeholder="de, pt-BR, …"
      data={data}
      renderOption={({ option: { value } }) => (
        <Group gap="xs" wrap="nowrap">
          <Text span size="sm" miw={48}>{value}</Text>
          <Text span size="sm" c="dimmed">{languageName(value)}</Text>
        </Group>
      )}
      {...rest}
    />
  );
}
