import { Button, Group, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { showIssues } from "../../parts/form_issues.ts";
import { showDone } from "../../parts/show_outcome.ts";

/** Changes a name. */
export function NameForm({ label, name, save, done, readOnly = false, button = "Save" }: {
  label: string;
  name: string;
  save: (name: string) => Promise<unknown>;
  /** Called after saving. */
  done: string;
  /** Whether the name is read-only. */
  readOnly?: boolean;
  button?: string;
}) {
  const form = useForm({
    initialValues: { name },
    validate: { name: (text) => text.trim() === "" ? "Required" : null },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: save,
    onSuccess: () => {
      showDone(done);
      form.resetDirty();
    },
    onError: (error) => showIssues(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => mutate(values.name.trim()))} noValidate>
      <Group align="flex-start" gap="xs">
        <TextInput
          label={label}
          readOnly={readOnly}
          variant={readOnly ? "filled" : "default"}
          flex={1}
          miw={200}
          maw={420}
          {...form.getInputProps("name")}
        />
        {!readOnly && (
          <Button
            type="submit"
            variant="default"
            mt={25}
            loading={isPending}
            disabled={!form.isDirty()}
          >
            {button}
          </Button>
        )}
      </Group>
    </form>
  );
}
