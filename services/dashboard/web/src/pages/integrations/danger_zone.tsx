import { Button, Paper, Stack, Text, Title } from "@mantine/core";
import { modals } from "@mantine/modals";
import { TbTrash } from "react-icons/tb";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { IntegrationView } from "../../../../interface/integrations.ts";
import { request } from "../../api.ts";
import { showDone, showProblem } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";
import { sayWaiting } from "./waiting_count.tsx";

/** Where an integration is removed. */
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
    onError: showProblem,
  });
  if (!may) return null;
  const isStopped = state === "paused" || state === "suspended";
  const ask = () =>
    modals.openConfirmModal({
      title: `Remove “${name}”?`,
      children: (
        <Stack gap="xs">
          <Text size="sm">
            Requests that name it get an error from now on, and nobody sees it any more. This cannot
            be undone.
          </Text>
          <Text size="sm">
            Mail that was accepted before still goes out by it ({sayWaiting(waiting)}).
            {isStopped &&
              " It is stopped now, so that mail fails when its time for retries is over: resume it first if it should go."}
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
          <Title order={2} size="h5">Remove</Title>
          <Text size="sm" c="dimmed">
            Its number is not given to another one. Mail that was accepted before still goes out.
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
