import { Button, Group, Modal } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { NewWebhookView, WebhookInput } from "../../../../interface/webhooks.ts";
import { request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { ShownSecret } from "./shown_secret.tsx";
import { useWebhookForm, WebhookFields } from "./webhook_form.tsx";

/** Asks for a new webhook, adds it, and shows its secret only once. */
export function NewWebhook({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const [made, setMade] = useState<NewWebhookView | null>(null);
  const leave = () => {
    close();
    setMade(null);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title={made === null ? "Add webhook" : "Copy the secret now"}
      size="lg"
      closeButtonProps={{ "aria-label": "Close" }}
      // Once closed, the secret can never be shown again.
      closeOnClickOutside={made === null}
      closeOnEscape={made === null}
    >
      {made === null
        ? <NewWebhookForm cancel={leave} onMade={setMade} />
        : <ShownSecret secret={made.secret} done={leave} />}
    </Modal>
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
