import { Alert, Button, Group, Text } from "@mantine/core";
import { TbUsers } from "react-icons/tb";
import { useState } from "react";
import type { TemplateView } from "../../../../interface/templates.ts";
import { type Side, SourcePage } from "../../editor/source_page.tsx";
import { Time } from "../../parts/time.tsx";
import { useChangesTextsOnly, useMay } from "../../session.tsx";
import { ConflictDialog } from "./conflict_dialog.tsx";
import { EditorHeader } from "./editor_header.tsx";
import { PreviewPane } from "./preview_pane.tsx";
import type { SourcePlace } from "./source_marks.ts";
import { RecoveryBanner } from "./recovery_banner.tsx";
import { useAutosave } from "./use_autosave.ts";
import { useDraft } from "./use_draft.ts";
import { usePreview } from "./use_preview.ts";
import { useRecovery } from "./use_recovery.ts";
import { WritePane } from "./write_pane.tsx";

/** The source of a template and its preview. */
export function EditorPage({ view }: { view: TemplateView }) {
  const draft = useDraft(view);
  const preview = usePreview(view.kind, draft.source);
  const isForTexts = useChangesTextsOnly();
  const readOnly = !useMay("editor") && !isForTexts;
  const recovery = useRecovery(view, draft);
  useAutosave(view, { draft, isOn: !readOnly });
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
        onLeave={recovery.forget}
        onSide={setSide}
        header={
          <>
            <EditorHeader view={view} draft={draft} preview={preview} onShow={show} />
            <ChangedElsewhere view={view} draft={draft} />
            {!readOnly && <RecoveryBanner recovery={recovery} />}
          </>
        }
        writing={isForTexts ? null : <WritePane {...{ view, draft, preview, readOnly, place }} />}
        preview={<PreviewPane {...{ view, draft, preview, readOnly }} onShow={show} />}
      />
      <ConflictDialog draft={draft} />
    </>
  );
}

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
