import {
  Anchor,
  Button,
  Group,
  Modal,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { TbPlayerPause } from "react-icons/tb";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { IntegrationView } from "../../../../interface/integrations.ts";
import { request } from "../../api.ts";
import { FormButtons } from "../../parts/form_buttons.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { Time } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { formatRate } from "./format_rate.ts";
import { NextTry } from "./next_try.tsx";
import { ResumeButton } from "./resume_button.tsx";
import { IntegrationBadge } from "./integration_badge.tsx";
import { countWaiting } from "./waiting_count.tsx";

/** Shows the state of an integration, its reason, and possible actions. */
export function HealthPanel({ view }: { view: IntegrationView }) {
  const { id, state, reason, since, openUntil, waiting, settings } = view;
  const { lastSent, lastFailed, attempts, sent } = view;
  const may = useMay("editor");
  return (
    <Paper withBorder component="section" p="lg" aria-label="Health">
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <Group gap="sm">
            <IntegrationBadge {...{ state, lastSent, lastFailed }} />
            {since !== null && (
              <Text span size="sm" c="dimmed">
                {state === "failing" && "No message accepted; first failure "}
                <Time at={since} size="sm" />
              </Text>
            )}
            {state === "ready" && (
              <Text size="sm">
                {lastSent === null ? "No messages sent yet" : "Sending normally"}
              </Text>
            )}
          </Group>
          <Group gap="xs">
            <ResumeButton id={id} state={state} name={settings.name} />
            <PauseButton view={view} />
          </Group>
        </Group>
        {reason !== null && (
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {reason}
            <NextTry {...{ state, openUntil }} />
            {state === "suspended" && may && (
              <Text span size="sm" c="dimmed" display="block">
                Sending resumes when you save changed settings or resume the integration.
              </Text>
            )}
          </Text>
        )}
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
          <Figure label="Waiting">{waiting === 0 ? "Nothing" : countWaiting(waiting)}</Figure>
          <Figure label="Succeeded in the last 24 hours">
            {attempts === 0 ? <Text span size="sm" c="dimmed">No attempts</Text> : (
              <>
                {formatRate(view)}
                <Text size="xs" c="dimmed">
                  {sent.toLocaleString()} of {attempts.toLocaleString()} attempts
                </Text>
              </>
            )}
          </Figure>
          <Figure label="Last success">
            {lastSent === null
              ? <Text span size="sm" c="dimmed">None yet</Text>
              : <MessageTime attempt={lastSent} />}
          </Figure>
          <Figure label="Last failure">
            {lastFailed === null ? <Text span size="sm" c="dimmed">None</Text> : (
              <>
                <MessageTime attempt={lastFailed} />
                <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                  {lastFailed.reason}
                </Text>
              </>
            )}
          </Figure>
        </SimpleGrid>
      </Stack>
    </Paper>
  );
}

/** Shows when an attempt ended, with a link to its message. */
function MessageTime({ attempt }: { attempt: { messageId: string; at: string } }) {
  return (
    <Anchor component={Link} href={`~/messages/${attempt.messageId}`} size="sm">
      <Time at={attempt.at} size="sm" />
    </Anchor>
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
      showDone(`“${settings.name}” is paused`);
      setReason("");
      close();
    },
    onError: showError,
  });
  if (!may || state === "paused") return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<TbPlayerPause size={14} />}
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
              Requests are still accepted. Their messages wait until someone resumes the
              integration. Messages that wait longer than the retry time fail.
            </Text>
            <TextInput
              data-autofocus
              label="Reason"
              description="Visible to all members"
              maxLength={200}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            <FormButtons cancel={close} submit="Pause" isPending={isPending} />
          </Stack>
        </form>
      </Modal>
    </>
  );
}
