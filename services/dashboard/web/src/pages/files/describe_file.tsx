import { Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import type { AssetView } from "../../../../interface/assets.ts";
import { request } from "../../api.ts";
import { FormButtons } from "../../parts/form_buttons.tsx";
import { showIssues } from "../../parts/form_issues.ts";
import { showDone } from "../../parts/show_outcome.ts";

/** Asks for the description of an image, and the file name for recipients. */
export function DescribeFile({ file, opened, onClose }: {
  file: AssetView;
  opened: boolean;
  onClose: () => void;
}) {
  const { name, alt, filename, contentType } = file;
  const client = useQueryClient();
  const form = useForm({ initialValues: { alt, filename } });
  const begin = useEffectEvent(() => {
    form.setValues({ alt, filename });
    form.clearErrors();
  });
  useEffect(() => {
    if (opened) begin();
  }, [opened]);
  const save = async (values: typeof form.values) => {
    const body = { alt: values.alt.replace(/\s+/g, " ").trim(), filename: values.filename.trim() };
    try {
      await request(`/assets/${name}`, { method: "PATCH", body });
      await client.invalidateQueries({ queryKey: ["assets"] });
      onClose();
      showDone("Saved");
    } catch (error) {
      showIssues(form, error);
    }
  };
  return (
    <Modal opened={opened} onClose={onClose} title={`Describe ${name}`}>
      <form onSubmit={form.onSubmit((values) => save(values))}>
        <Stack>
          {contentType.startsWith("image/") && (
            <Textarea
              label="Description"
              description="For readers who do not see the image. The editor inserts it. Leave it empty for decoration."
              autosize
              minRows={2}
              maxLength={500}
              data-autofocus
              {...form.getInputProps("alt")}
            />
          )}
          <TextInput
            label="File name"
            description="Recipients see it if the file is attached."
            {...form.getInputProps("filename")}
          />
          <FormButtons cancel={onClose} submit="Save" isPending={form.submitting} />
        </Stack>
      </form>
    </Modal>
  );
}
