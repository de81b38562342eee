import { Button, Group, SegmentedControl, Stack, Table, Text } from "@mantine/core";
import { useState } from "react";
import { TbInbox } from "react-icons/tb";
import type { WebhookDeliveryView } from "../../../../interface/webhooks.ts";
import { DataTable } from "../../parts/data_table.tsx";
import { Empty, Failed, Waiting } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { DeliveryDrawer } from "./delivery_drawer.tsx";
import { useDeliveries } from "./webhook_queries.ts";

const STATES = [
  { value: "", label: "All" },
  { value: "retrying", label: "Retrying" },
  { value: "failed", label: "Failed" },
  { value: "delivered", label: "Delivered" },
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
        : <DeliveryTable rows={data.rows} show={setEventId} />}
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

function DeliveryTable({ rows, show }: {
  rows: WebhookDeliveryView[];
  show: (eventId: string) => void;
}) {
  return (
    <DataTable minWidth={560}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Event</Table.Th>
          <Table.Th>Posted</Table.Th>
          <Table.Th>Answer</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th aria-label="Actions" />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.eventId}>
            <Table.Td>{row.type}</Table.Td>
            <Table.Td>
              <Time at={row.at} size="sm" />
            </Table.Td>
            <Table.Td>{row.attempts.at(-1)?.status ?? "none"}</Table.Td>
            <Table.Td>
              <Text size="sm" c={row.state === "failed" ? "red" : "inherit"}>{row.state}</Text>
            </Table.Td>
            <Table.Td>
              <Button
                size="compact-sm"
                variant="subtle"
                onClick={() => show(row.eventId)}
                aria-label={`Show ${row.type} ${row.eventId}`}
              >
                Show
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </DataTable>
  );
}
