import { Button, NumberInput, Stack, Switch, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { showDone } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";

const LONGEST = 365;
const USUAL = 7;

/** Sets for how many days contents are kept, or that none are. */
export function RetentionForm({ contentDays }: { contentDays: number }) {
  const isOwner = useMay("owner");
  const client = useQueryClient();
  const form = useForm({
    initialValues: { isKept: contentDays > 0, contentDays: contentDays || USUAL },
    validate: {
      contentDays: (days, { isKept }) =>
        !isKept || Number.isInteger(days) && days >= 1 && days <= LONGEST
          ? null
          : `A whole number from 1 to ${LONGEST}`,
    },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (days: number) =>
      request("/account/retention", { method: "PUT", body: { contentDays: days } }),
    onSuccess: async (_, days) => {
      form.resetDirty();
      showDone(
        days === 0 ? "Contents are no longer kept" : `Contents are kept for ${daysText(days)}`,
      );
      await client.invalidateQueries({ queryKey: ["account"] });
    },
    onError: (error) => showIssues(form, error),
  });
  if (!isOwner) {
    return (
      <Text size="sm">
        {contentDays === 0
          ? "Contents are not kept."
          : `Contents are kept for ${daysText(contentDays)} after a message was sent.`}{" "}
        Only owners can change this.
      </Text>
    );
  }
  const { isKept } = form.values;
  return (
    <form
      onSubmit={form.onSubmit((values) => mutate(values.isKept ? values.contentDays : 0))}
      noValidate
    >
      <Stack>
        <Switch
          label="Keep the contents of messages"
          {...form.getInputProps("isKept", { type: "checkbox" })}
        />
        {isKept && (
          <NumberInput
            label="Days"
            description="Counted from when the message was sent"
            min={1}
            max={LONGEST}
            allowDecimal={false}
            maw={340}
            {...form.getInputProps("contentDays")}
          />
        )}
        {!isKept && (
          <Text size="sm" c="dimmed">
            Contents cannot be viewed after sending. Contents that are kept now are removed.
          </Text>
        )}
        <div>
          <Button type="submit" variant="default" loading={isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function daysText(days: number): string {
  return days === 1 ? "1 day" : `${days} days`;
}
