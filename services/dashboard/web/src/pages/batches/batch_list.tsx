import { Anchor, Button, SegmentedControl, Stack, Table, Text } from "@mantine/core";
import { useState } from "react";
import { TbFilterOff, TbStack2 } from "react-icons/tb";
import { Link } from "wouter";
import type { BatchRow } from "../../../../interface/batches.ts";
import { DataTable } from "../../parts/data_table.tsx";
import { ShowMore } from "../../parts/show_more.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Waiting } from "../../parts/states.tsx";
import { RowCard } from "../../parts/row_card.tsx";
import { Time } from "../../parts/time.tsx";
import { useBatches } from "./batch_queries.ts";
import { BatchBadge } from "./batch_badge.tsx";
import { countText } from "../../parts/count_text.ts";

const STATES = [
  { value: "", label: "All" },
  { value: "open", label: "Open" },
  { value: "closed", label: "Closed" },
  { value: "canceled", label: "Canceled" },
];

/** The list of batches. */
export function BatchList() {
  const [state, setState] = useState("");
  const list = useBatches(state);
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? [];
  const isEmpty = list.data !== undefined && rows.length === 0 && !list.isPlaceholderData;
  const isNothing = isEmpty && state === "";
  return (
    <Page title="Batches" about="Sends to many recipients under one id, newest first.">
      {!isNothing && (
        <SegmentedControl
          data={STATES}
          value={state}
          onChange={setState}
          aria-label="State of batches"
          style={{ alignSelf: "flex-start" }}
        />
      )}
      {list.isPending && <Waiting label="Loading batches" />}
      {list.error && <Failed error={list.error} retry={() => void list.refetch()} />}
      {rows.length > 0 && <BatchRows rows={rows} />}
      {isNothing && <NoBatches />}
      {isEmpty && state !== "" && (
        <Empty
          icon={TbFilterOff}
          title={`No batch is ${state}`}
          action={<Button variant="default" onClick={() => setState("")}>Show all batches</Button>}
        >
          Batches in other states are not shown.
        </Empty>
      )}
      <ShowMore list={list}>
        Show older batches
      </ShowMore>
    </Page>
  );
}

function NoBatches() {
  return (
    <Empty icon={TbStack2} title="No batches yet">
      A batch has more recipients than one request may have. A program opens it with{" "}
      <Anchor component={Link} href="~/api-reference" underline="always">POST /v1/batches</Anchor>
      , adds recipients in parts, and closes it.
    </Empty>
  );
}

function BatchRows({ rows }: { rows: readonly BatchRow[] }) {
  return (
    <>
      <DataTable minWidth={700} visibleFrom="md" layout="fixed" aria-label="Batches, newest first">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Batch</Table.Th>
            <Table.Th w={125}>State</Table.Th>
            <Table.Th w={130} ta="right">Recipients</Table.Th>
            <Table.Th w="20%">Integration</Table.Th>
            <Table.Th w={150}>Opened</Table.Th>
            <Table.Th w={195}>End</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Td>
                <Name row={row} />
              </Table.Td>
              <Table.Td>
                <BatchBadge state={row.state} />
              </Table.Td>
              <Table.Td ta="right">{row.recipients.toLocaleString()}</Table.Td>
              <Table.Td>
                <Text size="sm" truncate>{integrationName(row)}</Text>
              </Table.Td>
              <Table.Td>
                <Time at={row.createdAt} size="sm" />
              </Table.Td>
              <Table.Td>
                <End row={row} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </DataTable>
      <Stack gap="xs" hiddenFrom="md">
        {rows.map((row) => (
          <RowCard key={row.id} state={<BatchBadge state={row.state} />} at={row.createdAt}>
            <Name row={row} />
            <Text size="sm" c="dimmed">
              {countText(row.recipients, "recipient", "recipients")} through {integrationName(row)}
            </Text>
          </RowCard>
        ))}
      </Stack>
    </>
  );
}

function Name({ row: { id, template } }: { row: BatchRow }) {
  return (
    <Anchor component={Link} href={`/${id}`} size="sm" fw={500} display="block" truncate>
      {template.name ?? `Template ${template.id}`}
      {/* Batches may have the same template. */}
      <Text span display="block" size="xs" ff="monospace" c="dimmed" truncate>{id}</Text>
    </Anchor>
  );
}

function integrationName({ integration: { id, name } }: BatchRow): string {
  return name ?? `integration ${id}`;
}

function End({ row: { endedAt, closesAt } }: { row: BatchRow }) {
  if (endedAt !== null) return <Time at={endedAt} size="sm" />;
  return (
    <Text size="sm" c="dimmed" span>
      by itself <Time at={closesAt} size="sm" />
    </Text>
  );
}
