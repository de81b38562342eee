import {
  Alert,
  Anchor,
  Button,
  Group,
  Modal,
  MultiSelect,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { TemplateView, TestRequest } from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { Failed, Waiting } from "../../parts/states.tsx";
import { useSession } from "../../session.tsx";
import { type IntegrationChoice, readChoices } from "./integration_choices.ts";
import { showFormError } from "./show_form_error.ts";
import { useTemplates } from "./template_queries.ts";
import type { Draft } from "./use_draft.ts";

/** Sends the draft, filled with the sample, to the user. */
export function TestDialog({ view, draft, tag, opened, onClose }: {
  view: TemplateView;
  draft: Draft;
  /** The shown language; null for the template's own. */
  tag: string | null;
  opened: boolean;
  onClose: () => void;
}) {
  const { data, error, refetch } = useQuery({
    queryKey: ["integrations"],
    queryFn: ({ signal }) => request<unknown>("/integrations", { signal }),
    enabled: opened,
  });
  const choices = data === undefined ? undefined : readChoices(data);
  return (
    <Modal opened={opened} onClose={onClose} title="Send a test to myself">
      {choices === undefined && error === null && <Waiting />}
      {choices === undefined && error !== null && (
        <Failed
          error={error}
          retry={() => void refetch()}
        />
      )}
      {choices?.length === 0 && (
        <Text size="sm">
          Messages are sent through your own SMTP server:{" "}
          <Anchor component={Link} href="~/integrations" size="sm" underline="always">
            add an integration
          </Anchor>{" "}
          first.
        </Text>
      )}
      {choices && choices.length > 0 && <TestForm {...{ view, draft, tag, choices, onClose }} />}
    </Modal>
  );
}

function TestForm({ view, draft, tag, choices, onClose }: {
  view: TemplateView;
  draft: Draft;
  tag: string | null;
  choices: readonly IntegrationChoice[];
  onClose: () => void;
}) {
  const { user } = useSession();
  const { id, example } = view;
  const pdfs = useTemplates("pdf");
  const [messageId, setMessageId] = useState<string | null>(null);
  const first = choices.find((choice) => choice.id === example.integrationId) ?? choices[0];
  const form = useForm({
    initialValues: {
      integrationId: String(first?.id ?? ""),
      sender: example.sender !== null && first?.senders.includes(example.sender)
        ? example.sender
        : first?.senders[0] ?? "",
      to: user.email,
      attachments: [] as string[],
    },
    validate: {
      sender: (sender) => sender === "" ? "Choose a sender" : null,
      to: (to) => /^\S+@\S+$/.test(to.trim()) ? null : "Enter an email address",
    },
  });
  const picked = choices.find((choice) => String(choice.id) === form.values.integrationId);

  const send = async (values: typeof form.values) => {
    setMessageId(null);
    try {
      const saved = await draft.save();
      if (saved === null) return onClose();
      const body: TestRequest = {
        revision: saved.revision,
        integrationId: Number(values.integrationId),
        sender: values.sender,
        to: values.to.trim(),
        variables: draft.source.sample,
        ...(tag === null ? {} : { locale: tag }),
        ...(values.attachments.length > 0 ? { attachments: values.attachments.map(Number) } : {}),
      };
      const path = `/templates/email/${id}/test`;
      const sent = await request<{ messageId: string }>(path, { method: "POST", body });
      setMessageId(sent.messageId);
    } catch (error) {
      showFormError(error, form);
    }
  };
  return (
    <form onSubmit={form.onSubmit((values) => send(values))}>
      <Stack>
        <Text size="sm" c="dimmed">
          The draft{tag === null ? "" : ` in ${tag}`}, filled with the sample data
          {draft.isUnsaved && "; it is saved first"}.
        </Text>
        <Select
          label="Integration"
          data={choices.map((choice) => ({ value: String(choice.id), label: choice.name }))}
          allowDeselect={false}
          value={form.values.integrationId}
          onChange={(value) => {
            const { senders = [] } = choices.find((each) => String(each.id) === value) ?? {};
            form.setValues({ integrationId: value ?? "", sender: senders[0] ?? "" });
          }}
        />
        <Select
          label="Sender"
          data={picked?.senders ?? []}
          allowDeselect={false}
          {...form.getInputProps("sender")}
        />
        <TextInput label="To" type="email" {...form.getInputProps("to")} />
        {pdfs.data && pdfs.data.length > 0 && (
          <MultiSelect
            label="Attach PDFs"
            description="Filled with the same sample data."
            placeholder={form.values.attachments.length === 0 ? "None" : ""}
            nothingFoundMessage="No PDF template is published yet"
            data={pdfs.data.filter(({ publishedVersion }) => publishedVersion !== null)
              .map((pdf) => ({ value: String(pdf.id), label: `${pdf.id} · ${pdf.name}` }))}
            {...form.getInputProps("attachments")}
          />
        )}
        {messageId !== null && (
          <Alert color="teal" p="sm" role="status">
            <Text size="sm">
              Test sent to {form.values.to}:{" "}
              <Anchor
                component={Link}
                href={`~/messages/${messageId}`}
                size="sm"
                underline="always"
              >
                watch the message
              </Anchor>
            </Text>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>Close</Button>
          <Button type="submit" loading={form.submitting}>
            {messageId === null ? "Send the test" : "Send it again"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
