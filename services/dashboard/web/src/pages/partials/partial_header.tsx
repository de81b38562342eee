import { ActionIcon, Badge, Button, Group, Menu, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { TbArrowLeft, TbDots, TbTrash } from "react-icons/tb";
import { Link, useLocation } from "wouter";
import type { PartialView } from "../../../../interface/partials.ts";
import { request } from "../../api.ts";
import { SaveDraft } from "../../editor/save_draft.tsx";
import { confirmAction } from "../../parts/confirm.tsx";
import { useMay } from "../../session.tsx";
import { TemplateState } from "../templates/template_state.tsx";
import { partialApi, partialKey } from "./partial_queries.ts";
import { PublishPartial } from "./publish_partial.tsx";
import type { PartialDraft } from "./use_partial_draft.ts";

/** The name and state of a partial, and its actions. */
export function PartialHeader({ view, title, draft, isValid = true }: {
  view: PartialView;
  title: string;
  draft: PartialDraft;
  /** Whether the draft can be saved. */
  isValid?: boolean;
}) {
  const { name, revision, publishedVersion, hasChanges } = view;
  const mayEdit = useMay("editor");
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [publishing, publish] = useDisclosure();
  const remove = () =>
    confirmAction({
      title: `Remove ${title}?`,
      text: "Published versions of templates keep their copies. It cannot be brought back.",
      label: "Remove",
      done: `Removed ${title}`,
      act: async () => {
        await request(partialApi(name), { method: "DELETE" });
        navigate("/");
        client.removeQueries({ queryKey: partialKey(name) });
        await client.invalidateQueries({ queryKey: partialKey(), exact: true });
      },
    });
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="xs" miw={0}>
        <ActionIcon
          component={Link}
          href="/"
          variant="subtle"
          color="gray"
          aria-label="All partials"
        >
          <TbArrowLeft size={18} />
        </ActionIcon>
        <Title order={1} size="h2" style={{ overflowWrap: "anywhere" }}>{title}</Title>
        {revision > 0 && <TemplateState row={view} />}
        {draft.isUnsaved && <Badge variant="dot" color="orange" tt="none">Not saved</Badge>}
      </Group>
      <Group gap="xs">
        {mayEdit
          ? (
            <>
              <SaveDraft draft={draft} isValid={isValid} />
              <Button
                size="xs"
                onClick={publish.open}
                disabled={!isValid || revision === 0 && !draft.isUnsaved ||
                  !draft.isUnsaved && !hasChanges && publishedVersion !== null}
              >
                Publish
              </Button>
              {revision > 0 && (
                <Menu position="bottom-end" width={180}>
                  <Menu.Target>
                    <ActionIcon variant="default" size={30} aria-label="More actions">
                      <TbDots size={16} />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item color="red" leftSection={<TbTrash size={16} />} onClick={remove}>
                      Remove
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              )}
            </>
          )
          : <Badge variant="default" tt="none">Read only: you are a viewer</Badge>}
      </Group>
      <PublishPartial {...{ view, title, draft }} opened={publishing} onClose={publish.close} />
    </Group>
  );
}
