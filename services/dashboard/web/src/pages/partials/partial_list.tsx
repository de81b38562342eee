import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { TbPalette, TbPlus, TbPuzzle } from "react-icons/tb";
import { Link } from "wouter";
import type { PartialRow } from "../../../../interface/partials.ts";
import { CopyText } from "../../parts/copy_text.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Pending } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { TemplateState } from "../templates/template_state.tsx";
import { NewPartial } from "./new_partial.tsx";
import { BRAND, usePartials } from "./partial_queries.ts";

/** All partials of the account, and its brand. */
export function PartialList() {
  const query = usePartials();
  const { data } = query;
  const [opened, { open, close }] = useDisclosure();
  const mayEdit = useMay("editor");
  const create = mayEdit && (
    <Button leftSection={<TbPlus size={16} />} onClick={open}>New partial</Button>
  );
  const brand = data?.find(({ name }) => name === BRAND);
  const partials = data?.filter(({ name }) => name !== BRAND) ?? [];
  return (
    <Page
      title="Partials"
      about="Texts, layouts and the brand that templates share"
      actions={partials.length > 0 && create}
    >
      <Pending query={query} />
      {data && (
        <Stack gap="sm">
          <BrandCard row={brand} mayEdit={mayEdit} />
          {partials.map((row) => <PartialCard key={row.name} row={row} />)}
          {partials.length === 0 && (
            <Empty icon={TbPuzzle} title="No partials yet" action={create}>
              {mayEdit
                ? "Write a footer or a layout once. Templates include it, and change when you publish it."
                : "There are none yet. An editor or owner of the account can create one."}
            </Empty>
          )}
        </Stack>
      )}
      <NewPartial opened={opened} onClose={close} />
    </Page>
  );
}

function BrandCard({ row, mayEdit }: { row: PartialRow | undefined; mayEdit: boolean }) {
  if (row === undefined && !mayEdit) return null;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="xs">
        <Group gap="sm" wrap="nowrap">
          <TbPalette size={20} aria-hidden />
          <div>
            <Text component={Link} href={`/${BRAND}`} size="sm" fw={600} c="inherit" td="none">
              Brand
            </Text>
            <Text size="xs" c="dimmed">Colours, fonts and the logo of all templates</Text>
          </div>
        </Group>
        {row === undefined ? <Text size="sm" c="dimmed">Not set</Text> : <Facts row={row} />}
      </Group>
    </Paper>
  );
}

function PartialCard({ row }: { row: PartialRow }) {
  const { name } = row;
  const call = `{{> ${name}}}`;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="xs">
        <div style={{ minWidth: 0, overflowWrap: "anywhere" }}>
          <Text component={Link} href={`/${name}`} size="sm" fw={600} c="inherit" td="none">
            {name}
          </Text>
          <Group gap={2} wrap="nowrap">
            <Text size="xs" c="dimmed" ff="monospace">{call}</Text>
            <CopyText text={call} label={`Copy what templates write for ${name}`} />
          </Group>
        </div>
        <Facts row={row} />
      </Group>
    </Paper>
  );
}

function Facts({ row }: { row: PartialRow }) {
  return (
    <Group gap="sm">
      <TemplateState row={row} />
      <Time at={row.updatedAt} size="sm" />
    </Group>
  );
}
