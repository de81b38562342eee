import { useQuery } from "@tanstack/react-query";
import type { AccountView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { Failed, Waiting } from "../../parts/states.tsx";
import { RetentionForm } from "./retention_form.tsx";
import { Section } from "./section.tsx";

/** How long the account keeps mails as they were sent. */
export function RetentionTab() {
  const { data, error, refetch } = useQuery({
    queryKey: ["account"],
    queryFn: ({ signal }) => request<AccountView>("/account", { signal }),
  });
  if (data === undefined) {
    if (error === null) return <Waiting />;
    return <Failed error={error} retry={() => void refetch()} />;
  }
  return (
    <Section
      title="Content retention"
      about="While contents are kept, you can view a message and its PDFs as the recipient got them. States and outcomes are kept in any case."
    >
      <RetentionForm contentDays={data.retention.contentDays} />
    </Section>
  );
}
