import type { TemplateKind } from "@posthaste/contracts";
import { ActionIcon, Menu } from "@mantine/core";
import { useClipboard, useDisclosure } from "@mantine/hooks";
import { TbCopy, TbCopyPlus, TbDots, TbPencil } from "react-icons/tb";
import { Link } from "wouter";
import type { TemplateRow } from "../../../../interface/templates.ts";
import { showDone } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";
import { ArchiveItem, ArchiveTemplate } from "./archive_template.tsx";
import { DuplicateTemplate } from "./duplicate_template.tsx";

/** The actions on a template of the list. */
export function RowMenu({ kind, row }: { kind: TemplateKind; row: TemplateRow }) {
  const mayEdit = useMay("editor");
  const { copy } = useClipboard();
  const [duplicating, duplicate] = useDisclosure();
  const [archiving, archive] = useDisclosure();
  return (
    <>
      <Menu position="bottom-end" width={190}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${row.name}`}>
            <TbDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} href={`/${row.id}`} leftSection={<TbPencil size={16} />}>
            Open
          </Menu.Item>
          <Menu.Item
            leftSection={<TbCopy size={16} />}
            onClick={() => {
              copy(String(row.id));
              showDone(`Copied ${row.id}`);
            }}
          >
            Copy id
          </Menu.Item>
          {mayEdit && (
            <>
              <Menu.Item leftSection={<TbCopyPlus size={16} />} onClick={duplicate.open}>
                Duplicate
              </Menu.Item>
              <Menu.Divider />
              <ArchiveItem onClick={archive.open} />
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <DuplicateTemplate kind={kind} row={row} opened={duplicating} onClose={duplicate.close} />
      <ArchiveTemplate kind={kind} row={row} opened={archiving} onClose={archive.close} />
    </>
  );
}
