import { Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { NewWebhookView, WebhookInput } from "../../../../interface/webhooks.ts";
import { request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { MadeOnce } from "../../parts/made_once.tsx";
import { ShownSecret } from "./shown_secret.tsx";
import { useWebhookForm, WebhookFields } from "./webhook_form.tsx";

/** Asks for a new webhook, adds it, and shows its secret only once. */
export function NewWebhook({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  return (
    <MadeOnce<NewWebhookView>
      isOpen={isOpen}
      close={close}
      title="Add webhook"
      madeTitle="Copy the secret now"
      form={(cancel, onMade) => <NewWebhookForm cancel={cancel} onMade={onMade} />}
      shown={({ secret }, done) => <ShownSecret secret={secret} done={done} />}
    />
  );
}

function NewWebhookForm({ cancel, onMade }: {
  cancel: () => void;
  onMade: (made: NewWebhookView) => void;
}) {
  const client = useQueryClient();
  const form = useWebhookForm();
  const { mutate, isPending } = useMutation({
    mutationFn: (body: WebhookInput) =>
      request<NewWebhookView>("/webhooks", { method: "POST", body }),
    onSuccess: (made) => {
      onMade(made);
      void client.invalidateQueries({ queryKey: ["webhooks"] });
    },
    onError: (error) => showIssues(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
      <WebhookFields form={form} />
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={cancel}>Cancel</Button>
        <Button type="submit" loading={isPending}>Add webhook</Button>
      </Group>
    </form>
  );
}
