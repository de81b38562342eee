import { Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import type { TemplateView } from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { FormButtons } from "../../parts/form_buttons.tsx";
import { showDone } from "../../parts/show_outcome.ts";
import { aliasError, nameError } from "./name_rules.ts";
import { showFormError } from "./show_form_error.ts";
import { KINDS } from "./template_kind.ts";
import { templateKey } from "./template_queries.ts";

/** Asks for another name and another alias. */
export function RenameTemplate({ view, opened, onClose }: {
  view: TemplateView;
  opened: boolean;
  onClose: () => void;
}) {
  const { kind, id, name, alias } = view;
  const client = useQueryClient();
  const form = useForm({
    initialValues: { name, alias: alias ?? "" },
    validate: { name: nameError, alias: aliasError },
  });
  const begin = useEffectEvent(() => {
    form.setValues({ name, alias: alias ?? "" });
    form.clearErrors();
  });
  useEffect(() => {
    if (opened) begin();
  }, [opened]);
  const wanted = form.values.alias.trim();
  const losesAlias = alias !== null && wanted !== alias;

  const rename = async (values: typeof form.values) => {
    const changed = { name: values.name.trim(), alias: wanted === "" ? null : wanted };
    try {
      const path = `${KINDS[kind].api}/${id}`;
      const renamed = await request<TemplateView>(path, { method: "PATCH", body: changed });
      client.setQueryData(templateKey(kind, id), renamed);
      void client.invalidateQueries({ queryKey: templateKey(kind), exact: true });
      onClose();
      showDone("Renamed");
    } catch (error) {
      showFormError(error, form);
    }
  };
  return (
    <Modal opened={opened} onClose={onClose} title="Name and alias">
      <form onSubmit={form.onSubmit((values) => rename(values))}>
        <Stack>
          <TextInput label="Name" data-autofocus {...form.getInputProps("name")} />
          <TextInput
            label="Alias"
            description="Requests can use it instead of the id."
            {...form.getInputProps("alias")}
          />
          {losesAlias && (
            <Text size="sm" c="orange">
              Requests that use “{alias}” are refused from then on (404).
            </Text>
          )}
          <FormButtons cancel={onClose} submit="Save" isPending={form.submitting} />
        </Stack>
      </form>
    </Modal>
  );
}
