import { Button, Modal, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { NewWebhookView, WebhookInput, WebhookView } from "../../../../interface/webhooks.ts";
import { request } from "../../api.ts";
import { confirmAction } from "../../parts/confirm.tsx";
import { showIssues } from "../../parts/form_issues.ts";
import { Section } from "../../parts/section.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { Time } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { ShownSecret } from "./shown_secret.tsx";
import { useWebhookForm, WebhookFields } from "./webhook_form.tsx";

/** A webhook's settings, its secret, and its removal. */
export function SettingsPanel({ view }: { view: WebhookView }) {
  const client = useQueryClient();
  const form = useWebhookForm(view);
  const mayChange = useMay("editor");
  const { mutate, isPending } = useMutation({
    mutationFn: (body: WebhookInput) =>
      request<WebhookView>(`/webhooks/${view.id}`, { method: "PATCH", body }),
    onSuccess: () => {
      showDone("Saved");
      void client.invalidateQueries({ queryKey: ["webhooks"] });
    },
    onError: (error) => showIssues(form, error),
  });
  return (
    <Stack maw={800}>
      <Section title="Endpoint">
        <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
          <fieldset disabled={!mayChange} style={{ border: 0, padding: 0, margin: 0 }}>
            <WebhookFields form={form} />
          </fieldset>
          {mayChange && <Button type="submit" loading={isPending} mt="lg">Save</Button>}
        </form>
      </Section>
      {mayChange && <SecretCard view={view} />}
      <RemoveButton view={view} />
    </Stack>
  );
}

function SecretCard({ view: { id, oldSecretUntil } }: { view: WebhookView }) {
  const client = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      request<NewWebhookView>(`/webhooks/${id}/rotate-secret`, {
        ...{ method: "POST", body: { overlapHours: 24 } },
      }),
    onSuccess: (made) => setSecret(made.secret),
    onError: showError,
  });
  const leave = () => {
    setSecret(null);
    void client.invalidateQueries({ queryKey: ["webhooks"] });
  };
  return (
    <Section
      title="Secret"
      about={
        <>
          A new secret replaces the one before, which goes on signing for 24 hours.
          {oldSecretUntil !== null && (
            <>
              {" "}The old secret signs until <Time at={oldSecretUntil} size="sm" />.
            </>
          )}
        </>
      }
    >
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        Rotate secret
      </Button>
      <Modal
        opened={secret !== null}
        onClose={leave}
        title="Copy the secret now"
        size="lg"
        closeButtonProps={{ "aria-label": "Close" }}
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <ShownSecret secret={secret ?? ""} done={leave} />
      </Modal>
    </Section>
  );
}

function RemoveButton({ view: { id, url } }: { view: WebhookView }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  if (!useMay("owner")) return null;
  const remove = async () => {
    await request(`/webhooks/${id}`, { method: "DELETE" });
    await client.invalidateQueries({ queryKey: ["webhooks"], refetchType: "none" });
    navigate("/");
  };
  return (
    <Section title="Remove" about="It gets no more requests. Other webhooks stay.">
      <Button
        color="red"
        variant="outline"
        onClick={() =>
          confirmAction({
            title: "Remove this webhook?",
            text:
              `${url} gets no more requests. Events that it has not received are not posted to it.`,
            label: "Remove",
            done: "The webhook was removed",
            act: remove,
          })}
      >
        Remove webhook
      </Button>
    </Section>
  );
}
