import { ActionIcon, Badge, Button, Code, Group, Menu, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  TbArrowBackUp,
  TbArrowLeft,
  TbCopyPlus,
  TbDots,
  TbHistory,
  TbPencil,
  TbSend,
  TbTerminal2,
} from "react-icons/tb";
import { Link } from "wouter";
import type { TemplateSource, TemplateView } from "../../../../interface/templates.ts";
import { SaveDraft } from "../../editor/save_draft.tsx";
import { useChangesTextsOnly, useMay } from "../../session.tsx";
import { ArchiveItem, ArchiveTemplate } from "./archive_template.tsx";
import { CurlDialog } from "./curl_dialog.tsx";
import { DuplicateTemplate } from "./duplicate_template.tsx";
import { HistoryDrawer } from "./history_drawer.tsx";
import { PublishDialog } from "./publish_dialog.tsx";
import { RenameTemplate } from "./rename_template.tsx";
import type { SourcePlace } from "./source_marks.ts";
import { KINDS } from "./template_kind.ts";
import { TemplateId } from "./template_list.tsx";
import { TemplateState } from "./template_state.tsx";
import { TestDialog } from "./test_dialog.tsx";
import { useDiscard } from "./use_discard.tsx";
import type { Draft } from "./use_draft.ts";
import type { Preview } from "./use_preview.ts";

/** A stored image or a partial may have been replaced since: publishing again then shows the new one. */
const IS_PINNED = /\{\{~?\s*(asset\s|#?>)|@brand\./;

function hasPins({ html, variants = {} }: TemplateSource): boolean {
  return [{ html }, ...Object.values(variants)].some((body) => IS_PINNED.test(body.html));
}

/** The name and state of a template, and its actions. */
export function EditorHeader({ view, draft, preview, tag, onShow }: {
  view: TemplateView;
  draft: Draft;
  preview: Preview;
  /** The shown language; null for the template's own. */
  tag: string | null;
  onShow: (place: SourcePlace) => void;
}) {
  const { kind, id, name, alias } = view;
  const isEmail = kind === "email";
  const mayEdit = useMay("editor");
  const isForTexts = useChangesTextsOnly();
  const [renaming, rename] = useDisclosure();
  const [publishing, publish] = useDisclosure();
  const [showing, history] = useDisclosure();
  const [testing, test] = useDisclosure();
  const [curling, curl] = useDisclosure();
  const [duplicating, duplicate] = useDisclosure();
  const [archiving, archive] = useDisclosure();
  const discard = useDiscard(view, draft);
  /** The server acts on the saved draft. */
  const saved = (then: () => void) => async () => {
    if (await draft.save()) then();
  };
  return (
    <Group justify="space-between" align="flex-start" gap="xs">
      <Group gap="xs" miw={0} flex="1 1 300px">
        <ActionIcon
          component={Link}
          href="/"
          variant="subtle"
          color="gray"
          aria-label={`All ${KINDS[kind].noun}s`}
        >
          <TbArrowLeft size={18} />
        </ActionIcon>
        <Title order={1} size="h2" maw="100%" style={{ overflowWrap: "break-word" }}>{name}</Title>
        <Group gap={4} wrap="nowrap">
          <Text size="sm" c="dimmed">id</Text>
          <TemplateId id={id} />
        </Group>
        {alias !== null && (
          <Group gap={4} wrap="nowrap">
            <Text size="sm" c="dimmed">alias</Text>
            <Code>{alias}</Code>
          </Group>
        )}
        <TemplateState row={view} />
        <SaveState draft={draft} />
      </Group>
      <Group gap="xs">
        {mayEdit
          ? (
            <>
              <SaveDraft draft={draft} />
              <Button
                size="xs"
                onClick={publish.open}
                disabled={!draft.isUnsaved && !view.hasChanges &&
                  view.publishedVersion !== null && !hasPins(draft.source)}
              >
                Publish
              </Button>
            </>
          )
          : isForTexts
          ? (
            <>
              <Text size="sm" c="dimmed">Click a text to change it. An editor publishes it.</Text>
              <SaveDraft draft={draft} />
            </>
          )
          : <Badge variant="default" tt="none">Read only: you are a viewer</Badge>}
        {!isForTexts && (
          <Menu position="bottom-end" width={220}>
            <Menu.Target>
              <ActionIcon variant="default" size={30} aria-label="More actions">
                <TbDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<TbTerminal2 size={16} />} onClick={curl.open}>
                {isEmail ? "Copy as curl" : "Copy as JSON or curl"}
              </Menu.Item>
              {mayEdit && isEmail && (
                <Menu.Item leftSection={<TbSend size={16} />} onClick={test.open}>
                  Send a test to myself
                </Menu.Item>
              )}
              <Menu.Item leftSection={<TbHistory size={16} />} onClick={history.open}>
                History
              </Menu.Item>
              {mayEdit && (
                <>
                  <Menu.Divider />
                  <Menu.Item leftSection={<TbPencil size={16} />} onClick={rename.open}>
                    Rename, change alias
                  </Menu.Item>
                  <Menu.Item
                    leftSection={<TbCopyPlus size={16} />}
                    onClick={saved(duplicate.open)}
                  >
                    Duplicate
                  </Menu.Item>
                  <Menu.Item
                    leftSection={<TbArrowBackUp size={16} />}
                    disabled={view.publishedVersion === null ||
                      !view.hasChanges && !draft.isUnsaved}
                    onClick={discard}
                  >
                    Discard changes
                  </Menu.Item>
                  <ArchiveItem onClick={archive.open} />
                </>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <RenameTemplate view={view} opened={renaming} onClose={rename.close} />
      <PublishDialog
        {...{ view, draft, preview }}
        opened={publishing}
        onClose={publish.close}
        onShow={(place) => {
          publish.close();
          onShow(place);
        }}
      />
      <HistoryDrawer view={view} draft={draft} opened={showing} onClose={history.close} />
      <TestDialog {...{ view, draft, tag }} opened={testing} onClose={test.close} />
      <CurlDialog view={view} sample={draft.source.sample} opened={curling} onClose={curl.close} />
      <DuplicateTemplate kind={kind} row={view} opened={duplicating} onClose={duplicate.close} />
      <ArchiveTemplate kind={kind} row={view} opened={archiving} onClose={archive.close} />
    </Group>
  );
}

/** Shows whether the changes of a draft are saved. */
function SaveState({ draft: { isUnsaved, hasFailed, isSaved } }: { draft: Draft }) {
  if (isUnsaved) {
    return (
      <Badge variant="dot" color={hasFailed ? "red" : "orange"} tt="none">
        {hasFailed ? "Not saved: saving failed" : "Not saved"}
      </Badge>
    );
  }
  return isSaved ? <Text size="xs" c="dimmed" role="status">Saved</Text> : null;
}
