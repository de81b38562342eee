import {
  Badge,
  Button,
  Drawer,
  Flex,
  Group,
  NavLink,
  ScrollArea,
  Select,
  Stack,
  Text,
} from "@mantine/core";
import { useState } from "react";
import type { TemplateView, VersionRow } from "../../../../interface/templates.ts";
import { Failed, Waiting } from "../../parts/states.tsx";
import { absoluteTime, relativeTime } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { SourceDiff } from "./source_diff.tsx";
import { useVersion, useVersions } from "./template_queries.ts";
import type { Draft } from "./use_draft.ts";
import { useRollBack } from "./use_roll_back.tsx";

/** All versions of a template, the difference between any two, and rolling back. */
export function HistoryDrawer({ view, draft, opened, onClose }: {
  view: TemplateView;
  draft: Draft;
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size="70rem" title="History">
      {opened && <History view={view} draft={draft} onDone={onClose} />}
    </Drawer>
  );
}

function History({ view, draft, onDone }: {
  view: TemplateView;
  draft: Draft;
  onDone: () => void;
}) {
  const { kind, id } = view;
  const { data, error, refetch } = useVersions(kind, id);
  const [picked, setPicked] = useState<number | null>(null);
  if (data === undefined) {
    return error === null ? <Waiting /> : <Failed error={error} retry={() => void refetch()} />;
  }
  const [newest] = data;
  if (newest === undefined) {
    return (
      <Text size="sm" c="dimmed">
        This template has not been published. Each publication adds an immutable version here.
      </Text>
    );
  }
  const shown = data.find(({ version }) => version === picked) ?? newest;
  return (
    <Flex direction={{ base: "column", md: "row" }} gap="lg">
      <ScrollArea.Autosize
        w={{ base: "100%", md: 270 }}
        style={{ flexShrink: 0 }}
        mah={{ base: 220, md: "calc(100dvh - 90px)" }}
      >
        <Stack gap={2} component="nav" aria-label="Versions">
          {data.map((row) => (
            <Version
              key={row.version}
              row={row}
              isShown={row === shown}
              onPick={() => setPicked(row.version)}
            />
          ))}
        </Stack>
      </ScrollArea.Autosize>
      <Comparison
        key={shown.version}
        {...{ view, draft, rows: data, shown, onDone }}
      />
    </Flex>
  );
}

function Version({ row, isShown, onPick }: {
  row: VersionRow;
  isShown: boolean;
  onPick: () => void;
}) {
  const { version, publishedAt, publishedBy, isCurrent, isTest } = row;
  return (
    <NavLink
      component="button"
      active={isShown}
      aria-current={isShown}
      onClick={onPick}
      title={absoluteTime(new Date(publishedAt))}
      label={
        <Group gap={6}>
          Version {version}
          {isCurrent && <Badge size="xs" color="teal" tt="none">In use</Badge>}
          {isTest && <Badge size="xs" variant="default" tt="none">Test mail</Badge>}
        </Group>
      }
      description={`${relativeTime(new Date(publishedAt))}${
        publishedBy === null ? "" : ` by ${publishedBy}`
      }`}
      style={{ borderRadius: "var(--mantine-radius-md)" }}
      styles={{ description: { opacity: 1, color: "inherit" } }}
    />
  );
}

function Comparison({ view, draft, rows, shown, onDone }: {
  view: TemplateView;
  draft: Draft;
  rows: readonly VersionRow[];
  shown: VersionRow;
  onDone: () => void;
}) {
  const { kind, id } = view;
  const mayEdit = useMay("editor");
  const [other, setOther] = useState("draft");
  const rollBack = useRollBack(view, { draft, onDone });
  const { data, error, refetch } = useVersion(kind, { id, version: shown.version });
  const against = useVersion(kind, { id, version: other === "draft" ? null : Number(other) });
  // The sample is not published: it does not count as a change.
  const sample = draft.source.sample;
  const after = other === "draft" ? draft.source : against.data?.source;
  const failure = error ?? against.error;
  return (
    <Stack gap="sm" miw={0} flex={1}>
      <Group justify="space-between" align="flex-end">
        <Select
          label={`Changes from version ${shown.version} to`}
          size="xs"
          value={other}
          allowDeselect={false}
          onChange={(value) => setOther(value ?? "draft")}
          data={[
            { value: "draft", label: "the draft" },
            ...rows.filter(({ version }) => version !== shown.version)
              .map(({ version }) => ({ value: String(version), label: `version ${version}` })),
          ]}
        />
        {mayEdit && !shown.isCurrent && !shown.isTest && (
          <Button
            size="xs"
            variant="default"
            onClick={() => rollBack(shown.version)}
          >
            Roll back to version {shown.version}
          </Button>
        )}
      </Group>
      {failure !== null && <Failed error={failure} retry={() => void refetch()} />}
      {failure === null && (data === undefined || after === undefined) && <Waiting />}
      {data !== undefined && after !== undefined && (
        <SourceDiff
          before={{ ...data.source, sample }}
          after={{ ...after, sample }}
          same="Nothing has changed."
        />
      )}
    </Stack>
  );
}
