import type { TemplateKind } from "@posthaste/contracts";
import { Alert, Group, Modal, Radio, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type {
  ExampleRow,
  NewTemplate as NewTemplateBody,
  TemplateView,
} from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { FormButtons } from "../../parts/form_buttons.tsx";
import { aliasError, nameError } from "./name_rules.ts";
import { showFormError } from "./show_form_error.ts";
import { KINDS } from "./template_kind.ts";
import { templateKey, useExamples } from "./template_queries.ts";

const EMPTY: ExampleRow = { id: "empty", name: "Empty", about: "Start with a blank page." };

/** Asks for a new template's properties, creates it, and opens its editor. */
export function NewTemplate({ kind, opened, onClose }: {
  kind: TemplateKind;
  opened: boolean;
  onClose: () => void;
}) {
  const { api, path, noun } = KINDS[kind];
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { data, error, isPending } = useExamples(kind, { enabled: opened });
  const form = useForm({
    initialValues: { name: "", alias: "", example: EMPTY.id },
    validate: { name: nameError, alias: aliasError },
  });
  const others = (data ?? []).filter(({ id }) => id !== EMPTY.id);
  const examples = [data?.find(({ id }) => id === EMPTY.id) ?? EMPTY, ...others];

  const create = async ({ name, alias, example }: typeof form.values) => {
    const body: NewTemplateBody = {
      name: name.trim(),
      alias: alias.trim() === "" ? null : alias.trim(),
      example,
    };
    try {
      const view = await request<TemplateView>(api, { method: "POST", body });
      client.setQueryData(templateKey(kind, view.id), view);
      await client.invalidateQueries({ queryKey: templateKey(kind), exact: true });
      onClose();
      form.reset();
      navigate(`~${path}/${view.id}`);
    } catch (error) {
      showFormError(error, form);
    }
  };

  return (
    <Modal opened={opened} onClose={onClose} title={`New ${noun}`} size="lg">
      <form onSubmit={form.onSubmit((values) => create(values))}>
        <Stack>
          <TextInput
            label="Name"
            description="Shown in the dashboard only."
            placeholder={kind === "email" ? "Welcome mail" : "Invoice"}
            data-autofocus
            required
            {...form.getInputProps("name")}
          />
          <TextInput
            label="Alias"
            description="Optional. Requests can use it instead of the id. Lowercase letters, digits and dashes."
            placeholder={kind === "email" ? "welcome" : "invoice"}
            {...form.getInputProps("alias")}
          />
          <Radio.Group label="Start with" {...form.getInputProps("example")}>
            <Stack gap="xs" mt={6}>
              {examples.map(({ id, name, about }) => (
                <Radio.Card key={id} value={id} p="sm" aria-label={name} aria-description={about}>
                  <Group wrap="nowrap" align="flex-start" gap="sm">
                    <Radio.Indicator mt={2} />
                    <div>
                      <Text size="sm" fw={550}>{name}</Text>
                      <Text size="xs" c="dimmed">{about}</Text>
                    </div>
                  </Group>
                </Radio.Card>
              ))}
              {isPending && <Skeleton h={58} />}
              {error !== null && (
                <Alert color="yellow">The examples could not be loaded: {error.message}</Alert>
              )}
            </Stack>
          </Radio.Group>
          <FormButtons cancel={onClose} submit="Create" isPending={form.submitting} />
        </Stack>
      </form>
    </Modal>
  );
}
