import { Button, Paper, Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { TbTrash } from "react-icons/tb";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { IntegrationView } from "../../../../interface/integrations.ts";
import { request } from "../../api.ts";
import { SectionTitle } from "../../parts/section_title.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";
import { sayWaiting } from "./waiting_count.tsx";

/** Removes an integration. */
export function DangerZone({ view }: { view: IntegrationView }) {
  const { id, settings: { name }, waiting, state } = view;
  const may = useMay("owner");
  const client = useQueryClient();
  const [, go] = useLocation();
  const { mutate, isPending } = useMutation({
    mutationFn: () => request(`/integrations/${id}`, { method: "DELETE" }),
    onSuccess: () => {
      client.removeQueries({ queryKey: ["integrations", id] });
      void client.invalidateQueries({ queryKey: ["integrations"], exact: true });
      showDone(`“${name}” was removed`);
      go("/");
    },
    onError: showError,
  });
  if (!may) return null;
  const isStopped = state === "paused" || state === "suspended";
  const ask = () =>
    modals.openConfirmModal({
      title: `Remove “${name}”?`,
      children: (
        <Stack gap="xs">
          <Text size="sm">
            Requests for this integration get an error from now on. It disappears from the
            dashboard. This cannot be undone.
          </Text>
          <Text size="sm">
            Accepted messages are still sent through it ({sayWaiting(waiting)}).
            {isStopped &&
              " It is stopped, so these messages fail when their retry time ends. To send them, resume it first."}
          </Text>
        </Stack>
      ),
      labels: { confirm: "Remove", cancel: "Cancel" },
      confirmProps: { color: "red" },
      onConfirm: () => mutate(),
    });
  return (
    <Paper withBorder component="section" p="lg" aria-label="Danger zone">
      <Stack gap="sm" align="flex-start">
        <div>
          <SectionTitle>Remove</SectionTitle>
          <Text size="sm" c="dimmed">
            Its number is not reused. Accepted messages are still sent.
          </Text>
        </div>
        <Button
          color="red"
          variant="outline"
          loading={isPending}
          leftSection={<TbTrash size={16} />}
          onClick={ask}
        >
          Remove integration
        </Button>
      </Stack>
    </Paper>
  );
}
