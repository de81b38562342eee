import type { TemplateKind } from "@posthaste/contracts";
import { Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { TemplateRow, TemplateView } from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { FormButtons } from "../../parts/form_buttons.tsx";
import { nameError } from "./name_rules.ts";
import { showFormError } from "./show_form_error.ts";
import { KINDS } from "./template_kind.ts";
import { templateKey } from "./template_queries.ts";

/** Asks for the name of a copy, creates it, and opens it. */
export function DuplicateTemplate({ kind, row, opened, onClose }: {
  kind: TemplateKind;
  row: TemplateRow;
  opened: boolean;
  onClose: () => void;
}) {
  const { api, path } = KINDS[kind];
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const form = useForm({
    initialValues: { name: `${row.name} (copy)` },
    validate: { name: nameError },
  });
  const duplicate = async ({ name }: typeof form.values) => {
    try {
      const made = await request<TemplateView>(`${api}/${row.id}/duplicate`, {
        method: "POST",
        body: { name: name.trim() },
      });
      await client.invalidateQueries({ queryKey: templateKey(kind), exact: true });
      onClose();
      navigate(`~${path}/${made.id}`);
    } catch (error) {
      showFormError(error, form);
    }
  };
  return (
    <Modal opened={opened} onClose={onClose} title={`Duplicate ${row.name}`}>
      <form onSubmit={form.onSubmit((values) => duplicate(values))}>
        <Stack>
          <TextInput label="Name of the copy" data-autofocus {...form.getInputProps("name")} />
          <Text size="sm" c="dimmed">The copy gets its own id and starts as a draft.</Text>
          <FormButtons cancel={onClose} submit="Duplicate" isPending={form.submitting} />
        </Stack>
      </form>
    </Modal>
  );
}
