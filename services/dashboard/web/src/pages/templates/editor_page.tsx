import { Alert, Box, Button, Group, Text } from "@mantine/core";
import { TbRestore, TbUsers } from "react-icons/tb";
import { useState } from "react";
import type { TemplateView } from "../../../../interface/templates.ts";
import { type Side, SourcePage } from "../../editor/source_page.tsx";
import { Time } from "../../parts/time.tsx";
import { useChangesTextsOnly, useMay } from "../../session.tsx";
import { ConflictDialog } from "./conflict_dialog.tsx";
import { draftInLanguage } from "./draft_in_language.ts";
import { EditorHeader } from "./editor_header.tsx";
import { LanguageBar } from "./language_bar.tsx";
import { PreviewPane } from "./preview_pane.tsx";
import type { SourcePlace } from "./source_marks.ts";
import { useAutosave } from "./use_autosave.ts";
import { useDraft } from "./use_draft.ts";
import { usePreview } from "./use_preview.ts";
import { type Recovery, useRecovery } from "./use_recovery.ts";
import { WritePane } from "./write_pane.tsx";

/** The source of a template and its preview. */
export function EditorPage({ view }: { view: TemplateView }) {
  const draft = useDraft(view);
  const [chosen, setTag] = useState<string | null>(null);
  const tag = chosen !== null && draft.source.variants?.[chosen] !== undefined ? chosen : null;
  const shown = draftInLanguage(draft, tag);
  const preview = usePreview(view.kind, { source: draft.source, tag });
  const isForTexts = useChangesTextsOnly();
  const mayEdit = useMay("editor");
  const readOnly = !mayEdit && !isForTexts;
  const recovery = useRecovery(view, draft);
  useAutosave(view, { draft, isOn: !readOnly });
  const languages = <LanguageBar {...{ view, draft, tag }} readOnly={!mayEdit} onTag={setTag} />;
  const [side, setSide] = useState<Side>("write");
  const [place, setPlace] = useState<SourcePlace | null>(null);
  const show = (where: SourcePlace) => {
    setSide("write");
    setPlace({ ...where });
  };
  return (
    <>
      <SourcePage
        {...{ name: view.name, draft, readOnly, side }}
        kind="Template"
        // A page of paper is wider than a mail on a phone, and its text is smaller.
        share={view.kind === "pdf" ? 56 : 48}
        onLeave={recovery.forget}
        onSide={setSide}
        header={
          <>
            <EditorHeader {...{ view, draft, preview, tag }} onShow={show} />
            <ChangedElsewhere view={view} draft={draft} />
            {!readOnly && <RecoveryBanner recovery={recovery} />}
          </>
        }
        writing={isForTexts ? null : (
          <Box h="100%" style={COLUMN}>
            {languages}
            <Box flex={1} mih={0}>
              <WritePane key={tag} {...{ view, preview, readOnly, place }} draft={shown} />
            </Box>
          </Box>
        )}
        preview={
          <Box h="100%" style={COLUMN}>
            {isForTexts && languages}
            <Box flex={1} mih={0}>
              <PreviewPane
                key={tag}
                {...{ view, preview, tag, readOnly }}
                draft={shown}
                onShow={show}
              />
            </Box>
          </Box>
        }
      />
      <ConflictDialog draft={draft} />
    </>
  );
}

const COLUMN = { display: "flex", flexDirection: "column", minWidth: 0 } as const;

/** Warns before saving that another person has saved. */
function ChangedElsewhere({ view, draft }: {
  view: TemplateView;
  draft: ReturnType<typeof useDraft>;
}) {
  if (view.revision <= draft.revision || draft.isSaving) return null;
  return (
    <Alert color="orange" icon={<TbUsers size={20} />} p="xs">
      <Group gap="sm">
        <Text size="sm">
          {view.updatedBy ?? "Somebody"} changed this draft <Time at={view.updatedAt} size="sm" />.
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => draft.compareWith(view)}>
          Compare
        </Button>
      </Group>
    </Alert>
  );
}

/** Offers the unsaved changes of an earlier visit. */
function RecoveryBanner({ recovery: { kept, restore, discard } }: { recovery: Recovery }) {
  if (kept === null) return null;
  return (
    <Alert color="orange" icon={<TbRestore size={20} />} p="xs">
      <Group gap="sm">
        <Text size="sm">
          Your changes from <Time at={kept.at} size="sm" /> were not saved.
        </Text>
        <Button size="compact-sm" onClick={restore}>Restore them</Button>
        <Button size="compact-sm" variant="default" onClick={discard}>Discard them</Button>
      </Group>
    </Alert>
  );
}
