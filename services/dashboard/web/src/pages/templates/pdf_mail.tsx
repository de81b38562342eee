import type { Variables } from "@posthaste/contracts";
import { Anchor, Select, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { TemplateRow } from "../../../../interface/templates.ts";
import { Failed, Waiting } from "../../parts/states.tsx";
import { useTemplate, useTemplates } from "./template_queries.ts";

/** Asks for the email template that a PDF is sent with, and returns it; null if none is published. */
export function PdfMail({ lastMailedWith, children }: {
  lastMailedWith: number | null;
  children: (mail: { id: number; sample: Variables } | null) => ReactNode;
}) {
  const [picked, setPicked] = useState<number | null>(null);
  const mails = useTemplates("email");
  const published = mails.data?.filter(({ publishedVersion }) => publishedVersion !== null) ?? [];
  const id = picked ?? defaultOf(published, lastMailedWith);
  const mail = useTemplate("email", id);
  const error = mails.error ?? mail.error;
  if (error !== null) {
    return <Failed error={error} retry={() => void (mails.error ? mails : mail).refetch()} />;
  }
  if (mails.data === undefined) return <Waiting />;
  if (id === null) {
    return (
      <>
        <Text size="sm" c="orange">
          A PDF is sent with a message, and no{" "}
          <Anchor component={Link} href="~/email-templates" size="sm" underline="always">
            email template
          </Anchor>{" "}
          is published yet. Replace <b>$TEMPLATE_ID</b> with its id.
        </Text>
        {children(null)}
      </>
    );
  }
  return (
    <>
      <Select
        label="Sent with"
        description="The email template of the request. Each template uses its own sample data."
        data={published.map((each) => ({
          value: `${each.id}`,
          label: `${each.id} · ${each.name}`,
        }))}
        value={`${id}`}
        allowDeselect={false}
        onChange={(value) => setPicked(Number(value))}
      />
      {mail.data === undefined ? <Waiting /> : children({ id, sample: mail.data.draft.sample })}
    </>
  );
}

/**
 * Returns the template that it was last sent with, if requests may use it; else the last changed
 * one.
 */
function defaultOf(published: TemplateRow[], lastMailedWith: number | null): number | null {
  const newest = published.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0];
  return published.find(({ id }) => id === lastMailedWith)?.id ?? newest?.id ?? null;
}
