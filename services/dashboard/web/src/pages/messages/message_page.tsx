import { Alert, Anchor, Button, Card, Code, Grid, Group, Stack, Table, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { TbBan, TbRefresh } from "react-icons/tb";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { MessageView } from "../../../../interface/messages.ts";
import { request } from "../../api.ts";
import { CopyText } from "../../parts/copy_text.tsx";
import { durationText } from "../../parts/duration.ts";
import { Page } from "../../parts/page.tsx";
import { SectionTitle } from "../../parts/section_title.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { Time } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { AttachmentList } from "./attachment_list.tsx";
import { adviceOf } from "./failure_advice.ts";
import { MessageContent } from "./message_content.tsx";
import { lookOfMessage } from "./message_look.ts";
import { MessageTimeline } from "./message_timeline.tsx";
import { SuppressionNote } from "./suppression_note.tsx";
import { verdictOf } from "./verdict.ts";

const OPEN_MS = 2000;
const BASELINE = { verticalAlign: "baseline" };
const ENDED = new Set(["sent", "failed", "canceled", "suppressed"]);

/** One message: first whether it arrived and why not, then its history. */
export default function MessagePage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["messages", id],
    queryFn: ({ signal }) => request<MessageView>(`/messages/${id}`, { signal }),
    refetchInterval: ({ state }) => state.data && ENDED.has(state.data.state) ? false : OPEN_MS,
  });
  return (
    <Page
      title={data === undefined ? "Message" : `To ${data.email}`}
      back="All messages"
      actions={data && <Actions message={data} />}
    >
      {error && <Failed error={error} retry={() => void refetch()} />}
      {data === undefined && !error && <Waiting label="Loading the message" />}
      {data && <Shown message={data} />}
    </Page>
  );
}

function Shown({ message }: { message: MessageView }) {
  const { headline, why } = verdictOf(message);
  const { reply, state } = message;
  const { color } = lookOfMessage(state, message.waiting !== null);
  const { code = null, enhanced = null } = reply ?? {};
  const advice = message.waiting === null
    ? adviceOf({ state, reason: message.reason, code, enhanced })
    : null;
  const took = durationText(message.tookMs);
  return (
    <>
      <Alert
        color={color}
        title={<Text fw={650} c="bright">{headline}</Text>}
        role="status"
      >
        <Stack gap="xs">
          {why !== null && <Text size="sm">{why}</Text>}
          {state === "suppressed" && <SuppressionNote message={message} />}
          {reply?.response && (
            <div>
              <Text size="xs" fw={600} mb={2}>Server's reply</Text>
              <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
                {reply.response}
              </Code>
            </div>
          )}
          {advice !== null && <Text size="sm">{advice}</Text>}
          <Text size="xs">
            {ENDED.has(state) ? `${took} from request to outcome` : `Accepted ${took} ago`},{" "}
            {message.attempt === 1 ? "1 attempt" : `${message.attempt} attempts`}
          </Text>
        </Stack>
      </Alert>
      <Grid>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Section title="Timeline">
            <MessageTimeline steps={message.timeline} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Section title="Details">
            <Details message={message} />
          </Section>
        </Grid.Col>
        <Grid.Col span={12}>
          <Section title="Content">
            <MessageContent message={message} />
          </Section>
        </Grid.Col>
      </Grid>
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder h="100%" component="section" aria-label={title}>
      <SectionTitle mb="sm">{title}</SectionTitle>
      {children}
    </Card>
  );
}

function Details({ message }: { message: MessageView }) {
  const { id, sendId, name, email, from, template, integration, attachments, traceId } = message;
  const { acceptedAt, finishedAt, nextAt, recipients, variant } = message;
  const rows: readonly (readonly [string, ReactNode] | undefined)[] = [
    ["To", name === null ? email : `${name} <${email}>`],
    ["From", from.name === undefined ? from.email : `${from.name} <${from.email}>`],
    ["Accepted", <Time key="t" at={acceptedAt} size="sm" />],
    finishedAt === null ? undefined : ["Finished", <Time key="t" at={finishedAt} size="sm" />],
    nextAt === null || new Date(nextAt) < new Date()
      ? undefined
      : ["Next attempt", <Time key="t" at={nextAt} size="sm" />],
    [
      "Template",
      <Anchor key="a" component={Link} href={`~/email-templates/${template.id}`} size="sm">
        {template.name ?? `No. ${template.id}`}, version {template.version}
      </Anchor>,
    ],
    variant === null ? undefined : ["Language", variant],
    [
      "Integration",
      <Anchor key="a" component={Link} href={`~/integrations/${integration.id}`} size="sm">
        {integration.name ?? `No. ${integration.id}`}
        {integration.host !== null && ` (${integration.host})`}
      </Anchor>,
    ],
    [
      "Attachments",
      attachments.length === 0 ? "none" : <AttachmentList key="l" message={message} />,
    ],
    [
      "Send",
      <Anchor key="a" component={Link} href={`/sends/${sendId}`} size="sm">
        {recipients === 1 ? "this message only" : `all ${recipients} recipients`}
      </Anchor>,
    ],
    ["Message id", <Id key="i" text={id} label="Copy the message's id" />],
    ["Send id", <Id key="i" text={sendId} label="Copy the send's id" />],
    traceId === null
      ? undefined
      : ["Trace id", <Id key="i" text={traceId} label="Copy the trace id" />],
  ];
  return (
    <Table verticalSpacing={6} horizontalSpacing={0} withRowBorders={false} layout="fixed">
      <Table.Tbody>
        {rows.filter((row) => row !== undefined).map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th w={110} scope="row" fw={400} c="dimmed" style={BASELINE}>
              {label}
            </Table.Th>
            <Table.Td style={{ overflowWrap: "anywhere", ...BASELINE }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** An id that can be copied. */
export function Id({ text, label }: { text: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="center">
      <Text ff="monospace" size="xs" style={{ overflowWrap: "anywhere" }}>{text}</Text>
      <CopyText text={text} label={label} />
    </Group>
  );
}

function Actions({ message }: { message: MessageView }) {
  const { id, state, canRetry, canCancel } = message;
  const again = state === "deferred" ? "Retry now" : "Send again";
  const may = useMay("editor");
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: (verb: "retry" | "cancel") =>
      request<MessageView>(`/messages/${id}/${verb}`, { method: "POST" }),
    onSuccess: (changed, verb) => {
      client.setQueryData(["messages", id], changed);
      showDone(verb === "retry" ? "The message is being sent again" : "The message is canceled");
    },
    onError: (error) => {
      showError(error);
      void client.invalidateQueries({ queryKey: ["messages", id] });
    },
  });
  const ask = (verb: "retry" | "cancel", text: string) =>
    modals.openConfirmModal({
      title: verb === "cancel"
        ? "Cancel this message?"
        : state === "deferred"
        ? "Retry this message now?"
        : "Send this message again?",
      children: <Text size="sm">{text}</Text>,
      labels: {
        confirm: verb === "cancel" ? "Cancel message" : again,
        cancel: "Keep it",
      },
      confirmProps: verb === "cancel" ? { color: "red" } : {},
      onConfirm: () => act.mutate(verb),
    });
  if (!may) return null;
  return (
    <>
      {canRetry && (
        <Button
          leftSection={<TbRefresh size={16} />}
          loading={act.isPending}
          onClick={() =>
            ask(
              "retry",
              state === "unknown"
                ? "The server may have accepted it already. The recipient may get it twice."
                : "It is sent now, with the same template version and variables.",
            )}
        >
          {again}
        </Button>
      )}
      {canCancel && (
        <Button
          variant="default"
          leftSection={<TbBan size={16} />}
          loading={act.isPending}
          onClick={() => ask("cancel", "It will not be sent. This cannot be undone.")}
        >
          Cancel message
        </Button>
      )}
    </>
  );
}
