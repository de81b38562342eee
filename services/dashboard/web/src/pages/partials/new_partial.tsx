import { Modal, Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { PartialView } from "../../../../interface/partials.ts";
import { HttpError, request } from "../../api.ts";
import { FormButtons } from "../../parts/form_buttons.tsx";
import { showError } from "../../parts/show_outcome.ts";
import { partialApi, partialKey } from "./partial_queries.ts";

const LAYOUT = `<!doctype html>
<html>
  <body style="margin: 0; font-family: sans-serif">
    {{> @partial-block}}
  </body>
</html>
`;

/** Asks for the name of a new partial, creates it, and opens its editor. */
export function NewPartial({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const form = useForm({
    initialValues: { name: "", kind: "part" },
    validate: { name: partialNameError },
  });
  const create = async ({ name, kind }: typeof form.values) => {
    const body = { revision: 0, source: kind === "layout" ? LAYOUT : "" };
    try {
      const view = await request<PartialView>(`${partialApi(name)}/draft`, { method: "PUT", body });
      client.setQueryData(partialKey(name), view);
      await client.invalidateQueries({ queryKey: partialKey(), exact: true });
      onClose();
      form.reset();
      navigate(`/${name}`);
    } catch (error) {
      if (error instanceof HttpError && error.code === "conflict") {
        form.setFieldError("name", "There is a partial with this name");
      } else showError(error);
    }
  };
  return (
    <Modal opened={opened} onClose={onClose} title="New partial">
      <form onSubmit={form.onSubmit((values) => create(values))}>
        <Stack>
          <TextInput
            label="Name"
            description="Templates write it: {{> footer}}. It does not change later."
            placeholder="footer"
            data-autofocus
            required
            {...form.getInputProps("name")}
          />
          <Radio.Group label="Start with" {...form.getInputProps("kind")}>
            <Stack gap="xs" mt={6}>
              <Radio value="part" label="An empty part, such as a footer" />
              <Radio value="layout" label="A layout, with a place for the content of templates" />
            </Stack>
          </Radio.Group>
          <FormButtons cancel={onClose} submit="Create" isPending={form.submitting} />
        </Stack>
      </form>
    </Modal>
  );
}

function partialNameError(name: string): string | null {
  return /^[a-z][a-z\d_-]{0,63}$/.test(name)
    ? null
    : "Lowercase letters, digits, _ and -, a letter first";
}
