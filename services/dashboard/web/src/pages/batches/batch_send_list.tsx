import { Anchor, Stack, Table, Text } from "@mantine/core";
import { Link } from "wouter";
import type { BatchSend } from "../../../../interface/batches.ts";
import { DataTable } from "../../parts/data_table.tsx";
import { SectionTitle } from "../../parts/section_title.tsx";
import { ShowMore } from "../../parts/show_more.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useBatchSends } from "./batch_queries.ts";
import { countText } from "../../parts/count_text.ts";

/** The sends of a batch: the parts that its recipients came in. */
export function BatchSendList({ id, isSettled }: { id: string; isSettled: boolean }) {
  const list = useBatchSends(id, isSettled);
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <Stack gap="xs" component="section" aria-label="Parts">
      <SectionTitle>Parts</SectionTitle>
      {list.isPending && <Waiting label="Loading the parts" />}
      {list.error && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data !== undefined && rows.length === 0 && (
        <Text size="sm" c="dimmed">It has no recipients yet.</Text>
      )}
      {rows.length > 0 && <Parts rows={rows} />}
      <ShowMore list={list}>
        Show older parts
      </ShowMore>
    </Stack>
  );
}

function Parts({ rows }: { rows: readonly BatchSend[] }) {
  return (
    <DataTable minWidth={330} horizontalSpacing="sm" aria-label="Parts, newest first">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Accepted</Table.Th>
          <Table.Th>Recipients</Table.Th>
          <Table.Th>Finished</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ id, acceptedAt, recipients, settledAt }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <Time at={acceptedAt} size="sm" />
            </Table.Td>
            <Table.Td>
              <Anchor component={Link} href={`~/messages/sends/${id}`} size="sm">
                {countText(recipients, "recipient", "recipients")}
              </Anchor>
            </Table.Td>
            <Table.Td>
              {settledAt === null
                ? <Text size="sm" c="dimmed">not finished</Text>
                : <Time at={settledAt} size="sm" />}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </DataTable>
  );
}
