import type { TemplateKind } from "@posthaste/contracts";
import { Button, Code, Group, Paper, Stack, Table, Text, TextInput, Tooltip } from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import { TbPlus, TbSearch } from "react-icons/tb";
import { useState } from "react";
import { Link } from "wouter";
import type { TemplateRow } from "../../../../interface/templates.ts";
import { ActionsHeader } from "../../parts/actions_header.tsx";
import { CopyText } from "../../parts/copy_text.tsx";
import { DataTable } from "../../parts/data_table.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Pending } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { ExportTemplates } from "./export_templates.tsx";
import { TEMPLATE_ICONS } from "./template_icons.ts";
import { NewTemplate } from "./new_template.tsx";
import { RowMenu } from "./row_menu.tsx";
import { KINDS } from "./template_kind.ts";
import { useTemplates } from "./template_queries.ts";
import { TemplateThumbnail } from "./template_thumbnail.tsx";
import { TemplateState } from "./template_state.tsx";

/** All templates of a kind, with a search and the actions on each. */
export function TemplateList({ kind }: { kind: TemplateKind }) {
  const { title, about } = KINDS[kind];
  const query = useTemplates(kind);
  const { data } = query;
  const [opened, { open, close }] = useDisclosure();
  const mayEdit = useMay("editor");
  const create = mayEdit && (
    <Button leftSection={<TbPlus size={16} />} onClick={open}>New template</Button>
  );
  const actions = (
    <Group gap="xs">
      <ExportTemplates />
      {create}
    </Group>
  );
  return (
    <Page title={title} about={about} actions={data && data.length > 0 && actions}>
      <Pending query={query} />
      {data?.length === 0 && <NoTemplates kind={kind} create={create} />}
      {data && data.length > 0 && <Rows kind={kind} rows={data} />}
      <NewTemplate kind={kind} opened={opened} onClose={close} />
    </Page>
  );
}

function NoTemplates({ kind, create }: { kind: TemplateKind; create: React.ReactNode }) {
  const { noun, firstStep } = KINDS[kind];
  return (
    <Empty icon={TEMPLATE_ICONS[kind]} title={`Create your first ${noun}`} action={create}>
      {create ? firstStep : "There are none yet. An editor or owner of the account can create one."}
    </Empty>
  );
}

function Rows({ kind, rows }: { kind: TemplateKind; rows: readonly TemplateRow[] }) {
  const [search, setSearch] = useState("");
  // The table wants 780 px beside the menu.
  const narrow = useMediaQuery("(max-width: 66em)");
  const found = rows.filter((row) => matches(row, search));
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <TextInput
          aria-label="Search templates"
          placeholder="Search by name, alias or id"
          leftSection={<TbSearch size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          w={{ base: "100%", xs: 360 }}
        />
        <Text size="sm" c="dimmed" role="status">
          {found.length === rows.length
            ? `${rows.length} ${rows.length === 1 ? "template" : "templates"}`
            : found.length === 0
            ? `No results for “${search}”`
            : `${found.length} of ${rows.length}`}
        </Text>
      </Group>
      {found.length > 0 &&
        (narrow ? <Cards kind={kind} rows={found} /> : <TableOf kind={kind} rows={found} />)}
    </Stack>
  );
}

function matches({ name, alias, id }: TemplateRow, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return wanted === "" || name.toLowerCase().includes(wanted) ||
    (alias ?? "").includes(wanted) || String(id) === wanted.replace(/^#/, "");
}

/** Dimmed text stays readable on it. */
const HOVERED = "light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))";

function TableOf({ kind, rows }: { kind: TemplateKind; rows: readonly TemplateRow[] }) {
  return (
    <DataTable minWidth={780} highlightOnHover highlightOnHoverColor={HOVERED}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th w={90}>Id</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Last change</Table.Th>
          <Table.Th>Last used</Table.Th>
          <ActionsHeader width={48} />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.id}>
            <Table.Td>
              <Group gap="sm" wrap="nowrap" py={4}>
                <TemplateThumbnail kind={kind} row={row} />
                <NameOf row={row} />
              </Group>
            </Table.Td>
            <Table.Td>
              <TemplateId id={row.id} />
            </Table.Td>
            <Table.Td>
              <TemplateState row={row} />
            </Table.Td>
            <Table.Td>
              <LastChange row={row} />
            </Table.Td>
            <Table.Td>
              <LastUse row={row} size="sm" />
            </Table.Td>
            <Table.Td>
              <RowMenu kind={kind} row={row} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </DataTable>
  );
}

function Cards({ kind, rows }: { kind: TemplateKind; rows: readonly TemplateRow[] }) {
  return rows.map((row) => (
    <Paper key={row.id} withBorder p="sm">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Group gap="sm" wrap="nowrap" align="flex-start" miw={0}>
          <TemplateThumbnail kind={kind} row={row} />
          <Stack gap={4} miw={0}>
            <NameOf row={row} />
            <Group gap="xs">
              <TemplateId id={row.id} />
              <TemplateState row={row} />
            </Group>
          </Stack>
        </Group>
        <RowMenu kind={kind} row={row} />
      </Group>
      <Text size="xs" c="dimmed" mt="xs" component="div">
        Last change: <LastChange row={row} size="xs" />
      </Text>
      <Text size="xs" c="dimmed" component="div">
        Last used: <LastUse row={row} size="xs" />
      </Text>
    </Paper>
  ));
}

/** Only the newest sends are searched: a template that they lack may have been used earlier. */
function LastUse({ row, size }: { row: TemplateRow; size: "xs" | "sm" }) {
  const { lastUsedAt, publishedVersion } = row;
  if (lastUsedAt !== null || publishedVersion === null) return <Time at={lastUsedAt} size={size} />;
  return (
    <Tooltip label="Not among the last 1,000 sends of the account">
      <Text span c="dimmed" size={size} tabIndex={0}>not recently</Text>
    </Tooltip>
  );
}

function NameOf({ row: { id, name, alias } }: { row: TemplateRow }) {
  return (
    <div style={{ minWidth: 120, overflowWrap: "anywhere" }}>
      <Text component={Link} href={`/${id}`} size="sm" fw={600} c="inherit" td="none">{name}</Text>
      {alias !== null && <Text size="xs" c="dimmed" ff="monospace">{alias}</Text>}
    </div>
  );
}

function LastChange({ row, size = "sm" }: { row: TemplateRow; size?: "sm" | "xs" }) {
  const { updatedAt, updatedBy } = row;
  return (
    <>
      <Time at={updatedAt} size={size} />
      {updatedBy !== null && <Text span size={size} c="dimmed">{` by ${updatedBy}`}</Text>}
    </>
  );
}

/** The number by which requests name a template, ready to be copied. */
export function TemplateId({ id }: { id: number }) {
  return (
    <Group gap={2} wrap="nowrap">
      <Code fz="sm">{id}</Code>
      <CopyText text={String(id)} label={`Copy id ${id}`} />
    </Group>
  );
}
