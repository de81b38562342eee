import { Alert, Box, Button, Group, SegmentedControl, Splitter, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { TbUsers } from "react-icons/tb";
import { useEffect, useEffectEvent, useState } from "react";
import type { TemplateView } from "../../../../interface/templates.ts";
import { showDone } from "../../parts/show_outcome.ts";
import { Time } from "../../parts/time.tsx";
import { useUnsavedGuard } from "../../parts/use_unsaved_guard.tsx";
import { useMay } from "../../session.tsx";
import { ConflictDialog } from "./conflict_dialog.tsx";
import { EditorHeader } from "./editor_header.tsx";
import { PreviewPane } from "./preview_pane.tsx";
import type { SourcePlace } from "./source_marks.ts";
import { useDraft } from "./use_draft.ts";
import { usePreview } from "./use_preview.ts";
import { WritePane } from "./write_pane.tsx";

/** Height of what surrounds the page: the header and the padding of the shell. */
const SURROUNDINGS = "calc(52px + 2 * var(--app-shell-padding))";

/** The source on the left, the preview on the right; one below the other on small screens. */
export function EditorPage({ view }: { view: TemplateView }) {
  const draft = useDraft(view);
  const preview = usePreview(view.kind, draft.source);
  const readOnly = !useMay("editor");
  const narrow = useMediaQuery("(max-width: 62em)", false, { getInitialValueInEffect: false });
  const [side, setSide] = useState("write");
  const [place, setPlace] = useState<SourcePlace | null>(null);
  useUnsavedGuard(draft.isUnsaved);
  useSaveKey(async () => {
    if (readOnly) return;
    if (!draft.isUnsaved) showDone("Everything is saved");
    else if (await draft.save()) showDone("Draft saved");
  });
  useEffect(() => {
    document.title = `${draft.isUnsaved ? "• " : ""}${view.name} · Posthaste`;
  }, [view.name, draft.isUnsaved]);

  const show = (where: SourcePlace) => {
    setSide("write");
    setPlace({ ...where });
  };
  const writing = <WritePane {...{ view, draft, preview, readOnly, place }} />;
  const shown = <PreviewPane view={view} preview={preview} onShow={show} />;
  return (
    <Box
      h={`calc(100dvh - ${SURROUNDINGS})`}
      mih={narrow ? 560 : 480}
      style={{ display: "flex", flexDirection: "column", gap: "var(--mantine-spacing-sm)" }}
    >
      <EditorHeader view={view} draft={draft} preview={preview} onShow={show} />
      <ChangedElsewhere view={view} draft={draft} />
      {narrow && (
        <SegmentedControl
          fullWidth
          aria-label="What is shown"
          value={side}
          onChange={setSide}
          data={[
            { value: "write", label: readOnly ? "Template" : "Write" },
            { value: "preview", label: "Preview" },
          ]}
        />
      )}
      <Box flex={1} mih={0} style={FRAME}>
        {narrow
          ? (
            <>
              <Box h="100%" display={side === "write" ? "block" : "none"}>{writing}</Box>
              <Box h="100%" display={side === "preview" ? "block" : "none"}>{shown}</Box>
            </>
          )
          : (
            <Splitter h="100%" lineSize={1}>
              <Splitter.Pane defaultSize={52} min={25}>{writing}</Splitter.Pane>
              <Splitter.Pane defaultSize={48} min={20} style={LINE}>{shown}</Splitter.Pane>
            </Splitter>
          )}
      </Box>
      <ConflictDialog draft={draft} />
    </Box>
  );
}

const LINE = { borderLeft: "1px solid var(--mantine-color-default-border)" };
const FRAME = {
  border: "1px solid var(--mantine-color-default-border)",
  borderRadius: "var(--mantine-radius-md)",
  overflow: "hidden",
};

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

/** Control and S save, as in other editors. */
function useSaveKey(save: () => Promise<void>) {
  const onSave = useEffectEvent(save);
  useEffect(() => {
    const abort = new AbortController();
    addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      void onSave();
    }, { signal: abort.signal });
    return () => abort.abort();
  }, []);
}
