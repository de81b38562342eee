import { Box, SegmentedControl, Splitter } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useEffect, useMemo, useState } from "react";
import type { PartialView } from "../../../../interface/partials.ts";
import { CodeEditor } from "../../editor/lazy_editor.tsx";
import { useUnsavedGuard } from "../../parts/use_unsaved_guard.tsx";
import { useMay } from "../../session.tsx";
import { usePartialWords } from "../templates/use_template_words.ts";
import { partialMarks } from "./partial_marks.ts";
import { PartialHeader } from "./partial_header.tsx";
import { PartialPreview } from "./partial_preview.tsx";
import { useTouched } from "./partial_queries.ts";
import { usePartialDraft } from "./use_partial_draft.ts";
import { usePartialPreview } from "./use_partial_preview.ts";

/** Height of what surrounds the page: the header and the padding of the shell. */
const SURROUNDINGS = "calc(52px + 2 * var(--app-shell-padding))";

/** The source of a partial on the left, the preview on the right; one at a time on small screens. */
export function PartialPage({ view }: { view: PartialView }) {
  const { name } = view;
  const draft = usePartialDraft(view);
  const readOnly = !useMay("editor");
  const { data: templates = [] } = useTouched(name);
  const [within, setWithin] = useState<string | null>(null);
  const preview = usePartialPreview(name, { source: draft.source, within });
  const narrow = useMediaQuery("(max-width: 62em)", false, { getInitialValueInEffect: false });
  const [side, setSide] = useState("write");
  const marks = useMemo(() => partialMarks(name, preview.view), [name, preview.view]);
  const words = usePartialWords((preview.good ?? preview.view)?.variables);
  useUnsavedGuard(draft.isUnsaved);
  useEffect(() => {
    document.title = `${draft.isUnsaved ? "• " : ""}${name} · Posthaste`;
  }, [name, draft.isUnsaved]);
  const writing = (
    <CodeEditor
      language="html"
      label={`Source of the partial ${name}`}
      value={draft.source}
      onChange={draft.change}
      {...{ readOnly, marks, words }}
    />
  );
  const shown = <PartialPreview {...{ preview, within, templates }} onWithin={setWithin} />;
  return (
    <Box
      h={`calc(100dvh - ${SURROUNDINGS})`}
      mih={narrow ? 560 : 480}
      style={{ display: "flex", flexDirection: "column", gap: "var(--mantine-spacing-sm)" }}
    >
      <PartialHeader view={view} title={name} draft={draft} />
      {narrow && (
        <SegmentedControl
          fullWidth
          aria-label="What is shown"
          value={side}
          onChange={setSide}
          data={[
            { value: "write", label: readOnly ? "Partial" : "Write" },
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
    </Box>
  );
}

const LINE = { borderLeft: "1px solid var(--mantine-color-default-border)" };
const FRAME = {
  border: "1px solid var(--mantine-color-default-border)",
  borderRadius: "var(--mantine-radius-md)",
  overflow: "hidden",
};
