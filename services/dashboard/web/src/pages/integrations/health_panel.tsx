import { Button, Card, Group, Modal, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPause } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { IntegrationView } from "../../../../interface/integrations.ts";
import { request } from "../../api.ts";
import { tellDone, tellProblem } from "../../parts/tell.ts";
import { Time } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { ResumeButton } from "./resume_button.tsx";
import { StateBadge } from "./state_badge.tsx";
import { sayWaiting } from "./waiting_count.tsx";

/** How an integration is now, why, and what can be done about it. */
export function HealthPanel({ view }: { view: IntegrationView }) {
  const { id, state, reason, since, openUntil, waiting, lastSent, lastFailed, settings } = view;
  return (
    <Card withBorder component="section" padding="lg" aria-label="Health">
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <Group gap="sm" flex={1} miw={220}>
            <StateBadge state={state} />
            <Text size="sm" flex={1} style={{ overflowWrap: "anywhere" }}>
              {reason ?? "Mail goes out"}
              {since !== null && (
                <>
                  , since <Time at={since} size="sm" />
                </>
              )}
              {openUntil !== null && (
                <>
                  . It is tried again <Time at={openUntil} size="sm" />
                </>
              )}
            </Text>
          </Group>
          <Group gap="xs">
            <ResumeButton id={id} state={state} name={settings.name} />
            <PauseButton view={view} />
          </Group>
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <Figure label="Waiting">{waiting === 0 ? "nothing" : sayWaiting(waiting)}</Figure>
          <Figure label="Last sent">
            {lastSent === null
              ? <Text span size="sm" c="dimmed">none lately</Text>
              : <Time at={lastSent.at} size="sm" />}
          </Figure>
          <Figure label="Last failed">
            {lastFailed === null ? <Text span size="sm" c="dimmed">none lately</Text> : (
              <>
                <Time at={lastFailed.at} size="sm" />
                <Text size="xs" c="dimmed" lineClamp={2}>{lastFailed.reason}</Text>
              </>
            )}
          </Figure>
        </SimpleGrid>
      </Stack>
    </Card>
  );
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">{label}</Text>
      <Text size="sm" component="div">{children}</Text>
    </div>
  );
}

function PauseButton({ view }: { view: IntegrationView }) {
  const { id, state, settings } = view;
  const may = useMay("editor");
  const client = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [reason, setReason] = useState("");
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      request<IntegrationView>(`/integrations/${id}/pause`, { method: "POST", body: { reason } }),
    onSuccess: (paused) => {
      client.setQueryData(["integrations", id], paused);
      void client.invalidateQueries({ queryKey: ["integrations"], exact: true });
      tellDone(`“${settings.name}” is paused`);
      setReason("");
      close();
    },
    onError: tellProblem,
  });
  if (!may || state === "paused") return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlayerPause size={14} />}
        onClick={open}
      >
        Pause
      </Button>
      <Modal opened={opened} onClose={close} title="Pause this integration">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            mutate();
          }}
        >
          <Stack gap="md">
            <Text size="sm">
              Requests are still accepted, and their mail waits until somebody resumes. What waits
              longer than the time for retries has failed then.
            </Text>
            <TextInput
              data-autofocus
              label="Reason"
              description="Your colleagues see it"
              maxLength={200}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>Cancel</Button>
              <Button type="submit" loading={isPending}>Pause</Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
