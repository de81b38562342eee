import { Alert, Anchor, Button, Card, Code, Group, Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { TbBan } from "react-icons/tb";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type {
  BulkRetry,
  CauseView,
  MessageList,
  SendView,
} from "../../../../interface/messages.ts";
import { request } from "../../api.ts";
import { Page } from "../../parts/page.tsx";
import { SectionTitle } from "../../parts/section_title.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { Time } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { AddressExport } from "./address_export.tsx";
import { adviceOf } from "./failure_advice.ts";
import { useOptions } from "./filter_bar.tsx";
import { MessageBadge } from "./message_badge.tsx";
import { Id } from "./message_page.tsx";
import { MessageRows } from "./message_rows.tsx";
import { RetryAll } from "./retry_all.tsx";
import { type Filter, queryOf } from "./query_filter.ts";
import { StateShares } from "./state_shares.tsx";

const OPEN_MS = 2000;

/** One send: the states of its messages, and the causes of failures. */
export default function SendPage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["messages", "send", id],
    queryFn: ({ signal }) => request<SendView>(`/sends/${id}`, { signal }),
    refetchInterval: ({ state }) => state.data?.settledAt ? false : OPEN_MS,
  });
  return (
    <Page
      title={data === undefined ? "Send" : `Send to ${countOf(data.recipients)}`}
      back="All messages"
      actions={data && <CancelRest send={data} />}
    >
      {error && <Failed error={error} retry={() => void refetch()} />}
      {data === undefined && !error && <Waiting label="Loading the send" />}
      {data && (
        <>
          <Shares send={data} />
          {data.causes.length > 0 && <Causes send={data} />}
          <Recipients id={id} isSettled={data.settledAt !== null} />
        </>
      )}
    </Page>
  );
}

function countOf(recipients: number): string {
  return recipients === 1 ? "1 recipient" : `${recipients.toLocaleString()} recipients`;
}

function Shares({ send }: { send: SendView }) {
  const { states, recipients, template, integration, acceptedAt, settledAt, id, traceId } = send;
  const { batchId } = send;
  return (
    <Card withBorder>
      <Stack gap="sm">
        <StateShares states={states} total={recipients} />
        <Text size="sm" c="dimmed">
          {template.name ?? `Template ${template.id}`}, version {template.version}, through{" "}
          {integration.name ?? `integration ${integration.id}`}; accepted{" "}
          <Time at={acceptedAt} size="sm" />
          {settledAt === null ? "; not finished" : (
            <>
              ; finished <Time at={settledAt} size="sm" />
            </>
          )}
        </Text>
        <Group gap="lg" style={{ rowGap: 0 }}>
          <Group gap="xs">
            <Text size="xs" c="dimmed">Send id</Text>
            <Id text={id} label="Copy the send's id" />
          </Group>
          {traceId !== null && (
            <Group gap="xs">
              <Text size="xs" c="dimmed">Trace id</Text>
              <Id text={traceId} label="Copy the trace id" />
            </Group>
          )}
          {batchId !== null && (
            <Anchor component={Link} href={`~/batches/${batchId}`} size="sm">
              The batch that it is a part of
            </Anchor>
          )}
        </Group>
      </Stack>
    </Card>
  );
}

function Causes({ send }: { send: SendView }) {
  return (
    <Stack gap="xs" component="section" aria-label="Why some were not delivered">
      <SectionTitle>Why some were not delivered</SectionTitle>
      {send.contentRemovedAt !== null && (
        <Alert color="gray">
          The content of this send was removed, so it cannot be sent again.
        </Alert>
      )}
      {send.causes.map((cause) => (
        <Card key={`${cause.state}-${cause.messageId}`} withBorder padding="sm">
          <Group justify="space-between" align="flex-start">
            <Stack gap={4} flex={1} miw={260}>
              <Group gap="xs">
                <MessageBadge state={cause.state} />
                <Text fw={600} size="sm">{cause.count.toLocaleString()}</Text>
                <Text size="sm">{cause.reason}</Text>
              </Group>
              {cause.response !== null && (
                <Code style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
                  {cause.response}
                </Code>
              )}
              <Advice cause={cause} />
              <Anchor component={Link} href={`/${cause.messageId}`} size="xs">
                {cause.count === 1 ? "Show the message" : "Show the newest message"}
              </Anchor>
            </Stack>
            <Group gap="xs">
              <AddressExport filter={filterOf(cause, send.id)} />
              {send.contentRemovedAt === null && (
                <RetryAll cause={causeOf(cause, send.id)} count={cause.count} />
              )}
            </Group>
          </Group>
        </Card>
      ))}
    </Stack>
  );
}

function Advice({ cause }: { cause: CauseView }) {
  const advice = adviceOf(cause);
  return advice === null ? null : <Text size="sm">{advice}</Text>;
}

function causeOf({ state, reason, code, enhanced }: CauseView, send: string): BulkRetry {
  return { state: state as BulkRetry["state"], reason, code, enhanced, send };
}

function filterOf({ state, reason, code, enhanced }: CauseView, send: string): Filter {
  return {
    ...{ state, send },
    ...(reason === null ? {} : { reason }),
    ...(code === null ? {} : { code: String(code) }),
    ...(enhanced === null ? {} : { enhanced }),
  };
}

function Recipients({ id, isSettled }: { id: string; isSettled: boolean }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["messages", "send", id, "rows"],
    queryFn: ({ signal }) => request<MessageList>(`/messages${queryOf({ send: id })}`, { signal }),
    refetchInterval: isSettled ? false : OPEN_MS,
  });
  const options = useOptions();
  if (error) return <Failed error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Waiting label="Loading the recipients" />;
  return (
    <Stack gap="xs" component="section" aria-label="Recipients">
      <SectionTitle>Recipients</SectionTitle>
      <MessageRows rows={data.rows} options={options} />
      {data.next !== null && (
        <Anchor component={Link} href={`/?send=${id}`} size="sm">All, with filters</Anchor>
      )}
    </Stack>
  );
}

function CancelRest({ send }: { send: SendView }) {
  const may = useMay("editor");
  const client = useQueryClient();
  const { id, states } = send;
  const left = (["scheduled", "queued", "deferred"] as const)
    .reduce((sum, state) => sum + (states[state] ?? 0), 0);
  const cancel = useMutation({
    mutationFn: () => request<{ canceled: number }>(`/sends/${id}/cancel`, { method: "POST" }),
    onSuccess: ({ canceled }) => {
      showDone(`${canceled} canceled`);
      void client.invalidateQueries({ queryKey: ["messages"] });
    },
    onError: showError,
  });
  if (!may || left === 0) return null;
  return (
    <Button
      variant="default"
      leftSection={<TbBan size={16} />}
      loading={cancel.isPending}
      onClick={() =>
        modals.openConfirmModal({
          title: `Cancel the remaining messages?`,
          children: (
            <Text size="sm">
              {left.toLocaleString()} that are not sent yet will be canceled. This cannot be undone.
            </Text>
          ),
          labels: { confirm: "Cancel messages", cancel: "Keep them" },
          confirmProps: { color: "red" },
          onConfirm: () => cancel.mutate(),
        })}
    >
      Cancel remaining messages
    </Button>
  );
}
