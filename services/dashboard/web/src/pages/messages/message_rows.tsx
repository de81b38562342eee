import { Anchor, Group, Stack, Table, Text } from "@mantine/core";
import { TbFileTypePdf } from "react-icons/tb";
import { Link } from "wouter";
import type { MessageOptions, MessageRow } from "../../../../interface/messages.ts";
import { DataTable } from "../../parts/data_table.tsx";
import { RowCard } from "../../parts/row_card.tsx";
import { Time } from "../../parts/time.tsx";
import { MessageBadge } from "./message_badge.tsx";
import { codeOf } from "./verdict.ts";
import { waitingReason } from "./waiting_reason.ts";

/**
 * Messages as a table, or as cards on small screens. Without a subject they show the name of their template, which
 * `options` has. With `withOrigin`, a wide table names their templates and integrations.
 */
export function MessageRows({ rows, options, withOrigin = false }: {
  rows: MessageRow[];
  options?: MessageOptions | undefined;
  withOrigin?: boolean;
}) {
  return (
    <>
      <DataTable
        minWidth={700}
        visibleFrom="md"
        highlightOnHover
        layout="fixed"
        aria-label="Messages, newest first"
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={145}>State</Table.Th>
            <Table.Th w={withOrigin ? { base: "28%", lg: "24%" } : "28%"}>
              Recipient, subject
            </Table.Th>
            <Table.Th>Reason</Table.Th>
            {withOrigin && (
              <>
                <Table.Th w="10%" visibleFrom="lg">Template</Table.Th>
                <Table.Th w="14%" visibleFrom="lg">Integration</Table.Th>
              </>
            )}
            <Table.Th w={155}>Accepted</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Td>
                <MessageBadge state={row.state} isWaiting={row.waiting !== null} />
              </Table.Td>
              <Table.Td>
                <Recipient row={row} options={options} />
              </Table.Td>
              <Table.Td>
                <Why row={row} />
              </Table.Td>
              {withOrigin && (
                <>
                  <Origin list={options?.templates} id={row.templateId} />
                  <Origin list={options?.integrations} id={row.integrationId} />
                </>
              )}
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                <Time at={row.acceptedAt} size="sm" />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </DataTable>
      <Stack gap="xs" hiddenFrom="md">
        {rows.map((row) => (
          <RowCard
            key={row.id}
            state={<MessageBadge state={row.state} isWaiting={row.waiting !== null} />}
            at={row.acceptedAt}
          >
            <Recipient row={row} options={options} />
            <Why row={row} />
          </RowCard>
        ))}
      </Stack>
    </>
  );
}

function Recipient({ row, options }: { row: MessageRow; options: MessageOptions | undefined }) {
  const subject = row.subject ?? nameIn(options?.templates, row.templateId);
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <Anchor component={Link} href={`/${row.id}`} title={row.email} size="sm" fw={500} truncate>
          {row.email}
        </Anchor>
        {row.hasPdfs && (
          <TbFileTypePdf
            size={16}
            title="With PDF"
            role="img"
            style={{ flexShrink: 0, color: "var(--mantine-color-dimmed)" }}
          />
        )}
      </Group>
      {subject !== undefined && <Text size="xs" c="dimmed" truncate title={subject}>{subject}
      </Text>}
    </>
  );
}

function Why({ row }: { row: MessageRow }) {
  const { state, waiting, reply } = row;
  const reason = waiting === null ? row.reason : waitingReason(waiting);
  if (state === "sent" || reason === null) return null;
  if (waiting === null && reply?.response) {
    const { response } = reply;
    return (
      <Text
        size="xs"
        c="dimmed"
        ff="monospace"
        lineClamp={2}
        title={`${reason}: ${response}`}
        style={{ overflowWrap: "anywhere" }}
      >
        {response}
      </Text>
    );
  }
  const code = waiting === null ? codeOf(row) : "";
  return (
    <Text size="xs" c="dimmed" lineClamp={2} title={reason} style={{ overflowWrap: "anywhere" }}>
      {code !== "" && <Text span inherit ff="monospace">{`${code} `}</Text>}
      {reason}
    </Text>
  );
}

type Named = { id: number; name: string }[] | undefined;

function nameIn(list: Named, id: number): string | undefined {
  return list?.find((each) => each.id === id)?.name;
}

function Origin({ list, id }: { list: Named; id: number }) {
  const name = nameIn(list, id) ?? `No. ${id}`;
  return (
    <Table.Td visibleFrom="lg">
      <Text size="sm" truncate title={name}>{name}</Text>
    </Table.Td>
  );
}
