import type { TemplateKind } from "@posthaste/contracts";
import { Button, Code, Group, Menu, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { TbArchive } from "react-icons/tb";
import { useLocation } from "wouter";
import type { TemplateRow } from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { relativeTime } from "../../parts/time.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { KINDS } from "./template_kind.ts";
import { templateKey } from "./template_queries.ts";

/** The item of a menu that opens {@linkcode ArchiveTemplate}. */
export function ArchiveItem({ onClick }: { onClick: () => void }) {
  return (
    <Menu.Item leftSection={<TbArchive size={16} />} color="red" onClick={onClick}>
      Archive
    </Menu.Item>
  );
}

/** Shows what archiving a template breaks, and archives it. */
export function ArchiveTemplate({ kind, row, opened, onClose }: {
  kind: TemplateKind;
  row: TemplateRow;
  opened: boolean;
  onClose: () => void;
}) {
  const { api, path, noun } = KINDS[kind];
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [working, setWorking] = useState(false);
  const archive = async () => {
    setWorking(true);
    try {
      await request(`${api}/${row.id}`, { method: "DELETE" });
      onClose();
      navigate(`~${path}`);
      client.removeQueries({ queryKey: templateKey(kind, row.id) });
      await client.invalidateQueries({ queryKey: templateKey(kind), exact: true });
      showDone(`Archived ${row.name}`);
    } catch (error) {
      showError(error);
    } finally {
      setWorking(false);
    }
  };
  return (
    <Modal opened={opened} onClose={onClose} title={`Archive ${row.name}?`}>
      <Stack gap="sm">
        <Text size="sm">
          Requests for this {noun}, by id <Code>{row.id}</Code>
          {row.alias !== null && (
            <>
              {" "}or alias <Code>{row.alias}</Code>
            </>
          )}
          , are refused from then on{kind === "email" ? " (404)" : " (400)"}. Accepted messages are
          still sent.
        </Text>
        <Text size="sm" fw={550}>
          {row.lastUsedAt === null
            ? "None of the account's last 1,000 sends used it."
            : `A request last used it ${relativeTime(new Date(row.lastUsedAt))}.`}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>Keep it</Button>
          <Button color="red" loading={working} onClick={() => void archive()}>Archive</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
