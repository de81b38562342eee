import { Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { TemplateView } from "../../../../interface/templates.ts";
import { HttpError, request } from "../../api.ts";
import { capitalize } from "../../parts/capitalize.ts";
import { FormButtons } from "../../parts/form_buttons.tsx";
import { showError } from "../../parts/show_outcome.ts";
import type { MissingAlias } from "./missing_aliases.ts";
import { aliasError } from "./name_rules.ts";
import { KINDS } from "./template_kind.ts";
import { templateKey } from "./template_queries.ts";

/** Asks for the aliases of templates that cannot be exported without one, and saves them. */
export function AliasDialog({ templates, onClose, onSaved }: {
  templates: readonly MissingAlias[];
  onClose: () => void;
  onSaved: () => void;
}) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { templates: [...templates] },
    validate: {
      templates: {
        alias: (alias) => alias.trim() === "" ? "Enter an alias" : aliasError(alias),
      },
    },
  });
  const save = async ({ templates: named }: typeof form.values) => {
    let index = 0;
    try {
      for (const { kind, id, alias } of named) {
        const body = { alias: alias.trim() };
        await request<TemplateView>(`${KINDS[kind].api}/${id}`, { method: "PATCH", body });
        index++;
      }
      onSaved();
    } catch (error) {
      const isTaken = error instanceof HttpError && error.code === "name_taken";
      if (isTaken) form.setFieldError(`templates.${index}.alias`, error.message);
      else showError(error);
    } finally {
      for (const { kind } of named) void client.invalidateQueries({ queryKey: templateKey(kind) });
    }
  };
  return (
    <Modal opened onClose={onClose} title="Aliases for the export">
      <form onSubmit={form.onSubmit((values) => save(values))}>
        <Stack>
          <Text size="sm">
            The alias names the folder of a template. An import of the folder changes the template
            with this alias, and adds none. Requests can use the alias instead of the id.
          </Text>
          {templates.map(({ kind, id, name }, index) => (
            <TextInput
              key={`${kind}/${id}`}
              label={name}
              description={capitalize(`${KINDS[kind].noun} ${id}`)}
              {...form.getInputProps(`templates.${index}.alias`)}
            />
          ))}
          <FormButtons cancel={onClose} submit="Save and export" isPending={form.submitting} />
        </Stack>
      </form>
    </Modal>
  );
}
