import { Anchor, Group, Paper, Stack, Table, Text } from "@mantine/core";
import { Link } from "wouter";
import type { SuppressionView } from "../../../../interface/suppressions.ts";
import { request } from "../../api.ts";
import { ActionsHeader } from "../../parts/actions_header.tsx";
import { Breakable } from "../../parts/breakable.tsx";
import { confirmAction } from "../../parts/confirm.tsx";
import { DataTable } from "../../parts/data_table.tsx";
import { RowAction } from "../../parts/row_action.tsx";
import { Time } from "../../parts/time.tsx";
import { reasonText } from "./reason_text.ts";
import { useListChanged } from "./suppression_queries.ts";

interface RowProps {
  row: SuppressionView;
  mayEdit: boolean;
}

/** Suppressed addresses as a table or, on small screens, as cards. */
export function SuppressionRows({ rows, mayEdit }: { rows: SuppressionView[]; mayEdit: boolean }) {
  return (
    <>
      <Stack hiddenFrom="md" gap="xs">
        {rows.map((row) => <RowCard key={row.email} {...{ row, mayEdit }} />)}
      </Stack>
      <DataTable minWidth={700} visibleFrom="md" layout="fixed" aria-label="Suppressed addresses">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Address</Table.Th>
            <Table.Th w="26%">Reason</Table.Th>
            <Table.Th w={155}>Since</Table.Th>
            <Table.Th w={155}>Ends</Table.Th>
            {mayEdit && <ActionsHeader width={110} />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.email}>
              <Table.Td>
                <Address email={row.email} />
              </Table.Td>
              <Table.Td>
                <Reason row={row} />
              </Table.Td>
              <Table.Td>
                <Time at={row.addedAt} size="sm" />
              </Table.Td>
              <Table.Td>
                <Time at={row.expiresAt} size="sm" />
              </Table.Td>
              {mayEdit && (
                <Table.Td ta="right">
                  <RemoveButton email={row.email} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </DataTable>
    </>
  );
}

function RowCard({ row, mayEdit }: RowProps) {
  const { email, addedAt, expiresAt } = row;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
        <Stack gap={2} miw={0}>
          <Address email={email} />
          <Reason row={row} />
          <Text size="xs" c="dimmed">
            Since <Time at={addedAt} size="xs" />, {expiresAt === null ? "never ends" : (
              <>
                ends <Time at={expiresAt} size="xs" />
              </>
            )}
          </Text>
        </Stack>
        {mayEdit && <RemoveButton email={email} />}
      </Group>
    </Paper>
  );
}

function Address({ email }: { email: string }) {
  return (
    <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
      <Breakable text={email} />
    </Text>
  );
}

function Reason({ row }: { row: SuppressionView }) {
  const text = reasonText(row);
  if (row.messageId === null) return <Text size="sm">{text}</Text>;
  return (
    <Anchor component={Link} href={`~/messages/${row.messageId}`} size="sm" underline="always">
      {text}
    </Anchor>
  );
}

function RemoveButton({ email }: { email: string }) {
  const changed = useListChanged();
  const ask = () =>
    confirmAction({
      title: "Remove this address from the list?",
      text: `${email} gets mail again. Messages that were suppressed are not sent by themselves.`,
      label: "Remove",
      done: `${email} gets mail again`,
      act: async () => {
        await request("/suppressions/remove", { method: "POST", body: { email } });
        await changed();
      },
    });
  return (
    <RowAction
      onClick={ask}
      aria-label={`Remove ${email}`}
    >
      Remove
    </RowAction>
  );
}
