import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { WebhookTestView, WebhookView } from "../../../../interface/webhooks.ts";
import { request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";

/** Tests a webhook, and enables or disables it. */
export function WebhookActions({ view: { id, state } }: { view: WebhookView }) {
  const client = useQueryClient();
  const may = useMay("editor");
  const test = useMutation({
    mutationFn: () => request<WebhookTestView>(`/webhooks/${id}/test`, { method: "POST" }),
    onSuccess: ({ error, status, durationMs }) => {
      if (error === null) showDone(`The endpoint answered ${status} in ${durationMs} ms`);
      else showError(new Error(error));
    },
    onError: showError,
  });
  const verb = state === "disabled" ? "enable" : "disable";
  const turn = useMutation({
    mutationFn: () => request<WebhookView>(`/webhooks/${id}/${verb}`, { method: "POST" }),
    onSuccess: () => void client.invalidateQueries({ queryKey: ["webhooks"] }),
    onError: showError,
  });
  if (!may) return null;
  return (
    <>
      <Button variant="default" loading={turn.isPending} onClick={() => turn.mutate()}>
        {state === "disabled" ? "Enable" : "Disable"}
      </Button>
      <Button loading={test.isPending} onClick={() => test.mutate()}>Send test event</Button>
    </>
  );
}
