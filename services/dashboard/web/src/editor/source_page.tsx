import { Box, SegmentedControl, Splitter } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useEffect, useEffectEvent } from "react";
import { showDone } from "../parts/show_outcome.ts";
import { useUnsavedGuard } from "../parts/use_unsaved_guard.tsx";

/** Height of what surrounds the page: the header and the padding of the shell. */
const SURROUNDINGS = "calc(52px + 2 * var(--app-shell-padding))";

/** The side that small screens show. */
export type Side = "write" | "preview";

/**
 * A page that edits a source: what is written on the left and its preview on the right, or one of them at a
 * time on small screens. Control and S save.
 */
export function SourcePage(
  { name, draft, readOnly, kind, side, onSide, header, writing, preview, share = 48, onLeave }: {
    name: string;
    /** `save` returns null if nothing was saved. */
    draft: { isUnsaved: boolean; save(): Promise<object | null> };
    readOnly: boolean;
    /** Names the source to people who may not change it: `Template`. */
    kind: string;
    side: Side;
    onSide: (side: Side) => void;
    header: ReactNode;
    /** Null for people who see the preview only. */
    writing: ReactNode | null;
    preview: ReactNode;
    /** How much of the width the preview has at first, in percent. @default {48} */
    share?: number;
    /** Called before the page is left without saving. */
    onLeave?: () => void;
  },
) {
  const narrow = useMediaQuery("(max-width: 62em)", false, { getInitialValueInEffect: false });
  useUnsavedGuard(draft.isUnsaved, onLeave);
  useSaveKey(async () => {
    if (readOnly) return;
    if (!draft.isUnsaved) showDone("Everything is saved");
    else if (await draft.save()) showDone("Draft saved");
  });
  useEffect(() => {
    document.title = `${draft.isUnsaved ? "• " : ""}${name} · Posthaste`;
  }, [name, draft.isUnsaved]);
  return (
    <Box
      h={`calc(100dvh - ${SURROUNDINGS})`}
      mih={narrow ? 560 : 480}
      style={{ display: "flex", flexDirection: "column", gap: "var(--mantine-spacing-sm)" }}
    >
      {header}
      {narrow && writing !== null && (
        <SegmentedControl
          fullWidth
          aria-label="What is shown"
          value={side}
          onChange={onSide}
          data={[
            { value: "write", label: readOnly ? kind : "Write" },
            { value: "preview", label: "Preview" },
          ]}
        />
      )}
      <Box flex={1} mih={0} style={FRAME}>
        {writing === null ? preview : narrow
          ? (
            <>
              <Box h="100%" display={side === "write" ? "block" : "none"}>{writing}</Box>
              <Box h="100%" display={side === "preview" ? "block" : "none"}>{preview}</Box>
            </>
          )
          : (
            <Splitter h="100%" lineSize={1}>
              <Splitter.Pane defaultSize={100 - share} min={25}>{writing}</Splitter.Pane>
              <Splitter.Pane defaultSize={share} min={20} style={LINE}>{preview}</Splitter.Pane>
            </Splitter>
          )}
      </Box>
    </Box>
  );
}

const LINE = { borderLeft: "1px solid var(--mantine-color-default-border)" };
const FRAME = {
  background: "var(--mantine-color-body)",
  border: "1px solid var(--mantine-color-default-border)",
  borderRadius: "var(--mantine-radius-md)",
  overflow: "hidden",
};

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
