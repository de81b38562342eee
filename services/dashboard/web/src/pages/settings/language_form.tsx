import { Button, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { LanguageField } from "../../parts/language_field.tsx";
import { canonicalTag, languageName } from "../../parts/language_tag.ts";
import { showDone } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";

/** Sets the language of mails whose request names none, or that each template has its own. */
export function LanguageForm({ locale }: { locale: string | null }) {
  const isOwner = useMay("owner");
  const client = useQueryClient();
  const form = useForm({
    initialValues: { locale: locale ?? "" },
    validate: {
      locale: (text) =>
        text.trim() === "" || canonicalTag(text) !== null
          ? null
          : "Enter a language tag such as de or pt-BR",
    },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (locale: string | null) =>
      request("/account/language", { method: "PUT", body: { locale } }),
    onSuccess: async (_, locale) => {
      const saved = { locale: locale ?? "" };
      form.setValues(saved);
      form.resetDirty(saved);
      showDone(
        locale === null
          ? "Mails use the default language of their template"
          : `Mails are in ${languageName(locale)} unless a request names another language`,
      );
      await client.invalidateQueries({ queryKey: ["account"] });
    },
    onError: (error) => showIssues(form, error),
  });
  if (!isOwner) {
    return (
      <Text size="sm">
        {locale === null ? "No language is set." : `${languageName(locale)} (${locale}).`}{" "}
        Only owners can change this.
      </Text>
    );
  }
  const tag = canonicalTag(form.values.locale);
  return (
    <form onSubmit={form.onSubmit(({ locale }) => mutate(canonicalTag(locale)))} noValidate>
      <Stack>
        <LanguageField
          label="Language"
          description={tag === null
            ? "Empty: each template uses its own default language"
            : languageName(tag)}
          maw={340}
          {...form.getInputProps("locale")}
        />
        <div>
          <Button type="submit" variant="default" loading={isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </div>
      </Stack>
    </form>
  );
}
