import { MultiSelect, NumberInput, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { EVENT_TYPES, type WebhookView } from "../../../../interface/webhooks.ts";

/** What the form of a webhook holds. */
export type WebhookValues = Pick<
  WebhookView,
  "url" | "description" | "types" | "withAddress" | "maxPerSecond"
>;

/** Opens the form of an existing or a new webhook. */
export function useWebhookForm(view?: WebhookView) {
  const { url = "", description = "", types = [], withAddress = false, maxPerSecond = 50 } = view ??
    {};
  return useForm<WebhookValues>({
    initialValues: { url, description, types, withAddress, maxPerSecond },
    validate: { url: (text) => URL.canParse(text) ? null : "Enter a URL with https" },
  });
}

/** The fields of a webhook. */
export function WebhookFields({ form }: { form: ReturnType<typeof useWebhookForm> }) {
  return (
    <Stack gap="lg">
      <TextInput
        label="URL"
        type="url"
        placeholder="https://shop.example.com/hooks"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps("url")}
      />
      <TextInput label="Description" autoComplete="off" {...form.getInputProps("description")} />
      <MultiSelect
        label="Events"
        description="Empty: all events"
        data={[...EVENT_TYPES]}
        searchable
        {...form.getInputProps("types")}
      />
      <NumberInput
        label="Maximum requests per second"
        min={1}
        max={500}
        {...form.getInputProps("maxPerSecond")}
      />
      <Switch
        label="Include recipients’ addresses"
        {...form.getInputProps("withAddress", { type: "checkbox" })}
      />
    </Stack>
  );
}
