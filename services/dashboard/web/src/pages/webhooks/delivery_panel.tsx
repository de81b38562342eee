import { Button, Group, SegmentedControl, Stack, Table, Text } from "@mantine/core";
import { useState } from "react";
import { TbInbox } from "react-icons/tb";
import type { WebhookDeliveryView } from "../../../../interface/webhooks.ts";
import { ActionsHeader } from "../../parts/actions_header.tsx";
import { Breakable } from "../../parts/breakable.tsx";
import { DataTable } from "../../parts/data_table.tsx";
import { RowAction } from "../../parts/row_action.tsx";
import { StatePill } from "../../parts/state_pill.tsx";
import { Empty, Failed, Waiting } from "../../parts/states.tsx";
import { RowCard } from "../../parts/row_card.tsx";
import { Time } from "../../parts/time.tsx";
import { DeliveryDrawer } from "./delivery_drawer.tsx";
import { lookOfDelivery } from "./webhook_look.ts";
import { useDeliveries } from "./webhook_queries.ts";

const STATES = [
  { value: "", label: "All" },
  ...(["retrying", "failed", "delivered"] as const).map((value) => ({
    value,
    label: lookOfDelivery(value).label,
  })),
];

/** What was posted to a webhook, the newest first. */
export function DeliveryPanel({ id }: { id: string }) {
  const [state, setState] = useState("");
  /** Where the pages up to this one begin. */
  const [pages, setPages] = useState<(string | null)[]>([null]);
  const [eventId, setEventId] = useState<string | null>(null);
  const { data, error, refetch } = useDeliveries(id, { state, before: pages.at(-1) ?? null });
  const choose = (value: string) => {
    setState(value);
    setPages([null]);
  };
  return (
    <Stack gap="md">
      <SegmentedControl
        data={STATES}
        value={state}
        onChange={choose}
        aria-label="State of deliveries"
        style={{ alignSelf: "flex-start" }}
      />
      {data === undefined
        ? error === null ? <Waiting /> : <Failed error={error} retry={() => void refetch()} />
        : data.rows.length === 0
        ? (
          <Empty icon={TbInbox} title="No deliveries">
            Deliveries of the last 7 days appear here, failed ones of the last 30.
          </Empty>
        )
        : <Deliveries rows={data.rows} show={setEventId} />}
      <Group gap="xs">
        {pages.length > 1 && (
          <Button variant="default" onClick={() => setPages(pages.slice(0, -1))}>Newer</Button>
        )}
        {data?.next != null && (
          <Button
            variant="default"
            onClick={() => setPages([...pages, data.next])}
          >
            Older
          </Button>
        )}
      </Group>
      <DeliveryDrawer id={id} eventId={eventId} close={() => setEventId(null)} />
    </Stack>
  );
}

interface RowsProps {
  rows: WebhookDeliveryView[];
  show: (eventId: string) => void;
}

/** Deliveries as a table or, on small screens, as cards. */
function Deliveries({ rows, show }: RowsProps) {
  return (
    <>
      <Stack hiddenFrom="md" gap="xs">
        {rows.map((row) => (
          <RowCard key={row.eventId} state={<DeliveryState row={row} />} at={row.at}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                <Breakable text={row.type} />
                {", answer: "}
                {answerOf(row)}
              </Text>
              <ShowButton row={row} show={show} />
            </Group>
          </RowCard>
        ))}
      </Stack>
      <DeliveryTable rows={rows} show={show} />
    </>
  );
}

function DeliveryTable({ rows, show }: RowsProps) {
  return (
    <DataTable minWidth={560} visibleFrom="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Event</Table.Th>
          <Table.Th>Posted</Table.Th>
          <Table.Th>Answer</Table.Th>
          <Table.Th>State</Table.Th>
          <ActionsHeader />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.eventId}>
            <Table.Td>{row.type}</Table.Td>
            <Table.Td>
              <Time at={row.at} size="sm" />
            </Table.Td>
            <Table.Td>{answerOf(row)}</Table.Td>
            <Table.Td>
              <DeliveryState row={row} />
            </Table.Td>
            <Table.Td ta="right">
              <ShowButton row={row} show={show} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </DataTable>
  );
}

function DeliveryState({ row: { state } }: { row: WebhookDeliveryView }) {
  return <StatePill {...lookOfDelivery(state)} />;
}

function answerOf({ attempts }: WebhookDeliveryView): string {
  return attempts.at(-1)?.status?.toString() ?? "none";
}

function ShowButton({ row: { type, eventId }, show }: {
  row: WebhookDeliveryView;
  show: (eventId: string) => void;
}) {
  return (
    <RowAction onClick={() => show(eventId)} aria-label={`Show ${type} ${eventId}`}>Show</RowAction>
  );
}
