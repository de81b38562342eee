import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { AccountView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { Section } from "../../parts/section.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";
import { LanguageForm } from "./language_form.tsx";
import { RetentionForm } from "./retention_form.tsx";

/** What holds for all mails of the account: their language, and how long their contents are kept. */
export function MailTab() {
  const { data, error, refetch } = useQuery({
    queryKey: ["account"],
    queryFn: ({ signal }) => request<AccountView>("/account", { signal }),
  });
  if (data === undefined) {
    if (error === null) return <Waiting />;
    return <Failed error={error} retry={() => void refetch()} />;
  }
  return (
    <Stack>
      <Section
        title="Language"
        about="The language of mails and PDFs if their request names none. Templates without this language use their default language."
      >
        <LanguageForm locale={data.locale} />
      </Section>
      <Section
        title="Content retention"
        about="While contents are kept, you can view a message and its PDFs as the recipient got them. States and outcomes are kept in any case."
      >
        <RetentionForm contentDays={data.retention.contentDays} />
      </Section>
    </Stack>
  );
}
