import { Alert, Anchor, Card, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { BatchView } from "../../../../interface/batches.ts";
import { Page } from "../../parts/page.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { Id } from "../messages/message_page.tsx";
import { StateShares } from "../messages/state_shares.tsx";
import { BatchActions } from "./batch_actions.tsx";
import { useBatch } from "./batch_queries.ts";
import { BatchSendList } from "./batch_send_list.tsx";
import { BatchBadge } from "./batch_badge.tsx";
import { countText } from "../../parts/count_text.ts";

/** One batch: its state, the states of its messages, and its sends. */
export function BatchPage({ id }: { id: string }) {
  const { data, error, refetch } = useBatch(id);
  return (
    <Page
      title={data === undefined
        ? "Batch"
        : `Batch of ${countText(data.recipients, "recipient", "recipients")}`}
      back="All batches"
      actions={data && <BatchActions batch={data} />}
    >
      {error && <Failed error={error} retry={() => void refetch()} />}
      {data === undefined && !error && <Waiting label="Loading the batch" />}
      {data && (
        <>
          <Summary batch={data} />
          <BatchSendList id={id} isSettled={data.isSettled} />
        </>
      )}
    </Page>
  );
}

function Summary({ batch }: { batch: BatchView }) {
  const { id, state, states, recipients, sends, template, integration, createdAt, isCut } = batch;
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Group gap="md">
          <BatchBadge state={state} />
          <Text size="sm">
            <Fate batch={batch} />
          </Text>
        </Group>
        {recipients > 0 && (
          <StateShares
            states={states}
            total={recipients}
            hrefOf={(each) => `~/messages?batch=${id}&state=${each}`}
          />
        )}
        {isCut && (
          <Alert color="yellow" title="The counts are incomplete">
            <Text size="sm">
              Counting took too long. The counts become complete as messages end.
            </Text>
          </Alert>
        )}
        <Text size="sm" c="dimmed">
          {template.name ?? `Template ${template.id}`}, version {template.version}, through{" "}
          {integration.name ?? `integration ${integration.id}`}; opened{" "}
          <Time at={createdAt} size="sm" />; {countText(recipients, "recipient", "recipients")} in
          {" "}
          {countText(sends, "part", "parts")}
        </Text>
        <Group gap="lg" style={{ rowGap: 4 }}>
          <Group gap="xs">
            <Text size="xs" c="dimmed">Batch id</Text>
            <Id text={id} label="Copy the batch's id" />
          </Group>
          <Anchor component={Link} href={`~/messages?batch=${id}`} size="sm">
            All its messages
          </Anchor>
        </Group>
      </Stack>
    </Card>
  );
}

/** Shows what the batch waits for, and when it ends by itself. */
function Fate({ batch }: { batch: BatchView }): ReactNode {
  const { state, start, closesAt, endedAt, sendAt, isSettled } = batch;
  const ended = <Time at={endedAt} size="sm" />;
  if (state === "canceled") return <>Messages that were not sent were canceled {ended}.</>;
  if (state === "closed") {
    if (isSettled) return <>Closed {ended}. All messages have ended.</>;
    if (sendAt !== null && new Date(sendAt) > new Date()) {
      return (
        <>
          Closed {ended}. Its mail leaves <Time at={sendAt} size="sm" />.
        </>
      );
    }
    return <>Closed {ended}. Its messages are on their way.</>;
  }
  const closes = <Time at={closesAt} size="sm" />;
  return start === "now"
    ? <>It takes recipients, and their mail leaves immediately. It closes by itself {closes}.</>
    : (
      <>
        It takes recipients. No mail leaves before it is closed. If nobody closes it, it is canceled
        {" "}
        {closes}.
      </>
    );
}
