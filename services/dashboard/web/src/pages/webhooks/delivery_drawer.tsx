import { Button, Code, Drawer, Group, Stack, Text, Timeline } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { WebhookDeliveryDetail } from "../../../../interface/webhooks.ts";
import { request } from "../../api.ts";
import { CopyCode } from "../../parts/copy_text.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { Failed, Waiting } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { useDelivery } from "./webhook_queries.ts";

/** One delivery: its attempts and its body. */
export function DeliveryDrawer({ id, eventId, close }: {
  id: string;
  eventId: string | null;
  close: () => void;
}) {
  const { data, error } = useDelivery(id, eventId);
  return (
    <Drawer
      opened={eventId !== null}
      onClose={close}
      title={data?.type ?? "Delivery"}
      position="right"
      size="lg"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {data === undefined
        ? error === null ? <Waiting /> : <Failed error={error} />
        : <Delivery id={id} view={data} />}
    </Drawer>
  );
}

function Delivery({ id, view }: { id: string; view: WebhookDeliveryDetail }) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      request(`/webhooks/${id}/deliveries/${view.eventId}/replay`, { method: "POST" }),
    onSuccess: () => {
      showDone("The event is posted again");
      void client.invalidateQueries({ queryKey: ["webhooks", id] });
    },
    onError: showError,
  });
  const may = useMay("editor") && view.body !== null;
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm">
        <Code style={{ overflowWrap: "anywhere" }}>{view.eventId}</Code>
        {may && <Button loading={isPending} onClick={() => mutate()}>Post again</Button>}
      </Group>
      <Timeline bulletSize={16} lineWidth={2}>
        {view.attempts.map(({ at, status, durationMs, error, answer }) => (
          <Timeline.Item
            key={at}
            color={error === null ? "teal" : "red"}
            title={status === null ? "No answer" : `Answer ${status}`}
          >
            {error !== null && <Text size="sm">{error}</Text>}
            <Text size="xs" c="dimmed">
              <Time at={at} size="xs" /> · {durationMs} ms
            </Text>
            {answer !== "" && (
              <Code block mt={4} mah={160} style={{ overflow: "auto" }}>{answer}</Code>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
      {view.nextAt !== null && (
        <Text size="sm">
          Next attempt <Time at={view.nextAt} size="sm" />
        </Text>
      )}
      {view.body === null
        ? <Text size="sm" c="dimmed">The event is not kept any more.</Text>
        : <CopyCode code={view.body} label="Copy the body" />}
    </Stack>
  );
}
