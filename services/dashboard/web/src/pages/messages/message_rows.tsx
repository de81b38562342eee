import { Anchor, Card, Group, Stack, Table, Text } from "@mantine/core";
import { Link } from "wouter";
import type { MessageOptions, MessageRow } from "../../../../interface/messages.ts";
import { Time } from "../../parts/time.tsx";
import { StateBadge } from "./state_badge.tsx";
import { codeOf } from "./verdict.ts";

interface Shown {
  rows: MessageRow[];
  options: MessageOptions | undefined;
}

/** Messages as a table, or as cards where there is no room for one. */
export function MessageRows({ rows, options }: Shown) {
  return (
    <>
      <Table.ScrollContainer minWidth={760} visibleFrom="sm" type="native">
        <Table highlightOnHover verticalSpacing="xs" aria-label="Messages, newest first">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>State</Table.Th>
              <Table.Th>Recipient</Table.Th>
              <Table.Th>Reason</Table.Th>
              <Table.Th>Template</Table.Th>
              <Table.Th>Integration</Table.Th>
              <Table.Th>Accepted</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.id}>
                <Table.Td miw={120} w={120}>
                  <StateBadge state={row.state} />
                </Table.Td>
                <Table.Td maw={320}>
                  <Recipient row={row} />
                </Table.Td>
                <Table.Td maw={420}>
                  <Why row={row} />
                </Table.Td>
                <Table.Td>{nameOf(options?.templates, row.templateId)}</Table.Td>
                <Table.Td>{nameOf(options?.integrations, row.integrationId)}</Table.Td>
                <Table.Td style={{ whiteSpace: "nowrap" }}>
                  <Time at={row.acceptedAt} size="sm" />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Stack gap="xs" hiddenFrom="sm">
        {rows.map((row) => (
          <Card key={row.id} withBorder padding="sm">
            <Group justify="space-between" mb={4}>
              <StateBadge state={row.state} />
              <Time at={row.acceptedAt} size="sm" c="dimmed" />
            </Group>
            <Recipient row={row} />
            <Why row={row} />
          </Card>
        ))}
      </Stack>
    </>
  );
}

function Recipient({ row }: { row: MessageRow }) {
  return (
    <Anchor component={Link} href={`/${row.id}`} size="sm" fw={500} truncate display="block">
      {row.email}
    </Anchor>
  );
}

function Why({ row }: { row: MessageRow }) {
  if (row.state === "sent" || row.reason === null) return null;
  const code = codeOf(row);
  return (
    <Text size="sm" c="dimmed" truncate title={row.reason}>
      {code !== "" && <Text span ff="monospace" size="xs">{`${code} `}</Text>}
      {row.reason}
    </Text>
  );
}

function nameOf(list: { id: number; name: string }[] | undefined, id: number): string {
  return list?.find((each) => each.id === id)?.name ?? `No. ${id}`;
}
