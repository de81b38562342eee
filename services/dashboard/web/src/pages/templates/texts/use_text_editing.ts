import { useState } from "react";
import type { TemplateView } from "../../../../../interface/templates.ts";
import { useMay } from "../../../session.tsx";
import { type Draft } from "../use_draft.ts";
import type { Preview } from "../use_preview.ts";
import { type EditTarget, hasSameNumbers } from "./text_editing.ts";
import { type Marked, useMarked } from "./use_marked.ts";

/** A place on the screen, in CSS pixels from the corner of the window. */
export interface ScreenBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** What a person edits now, and where it is. */
export interface OpenEdit {
  target: EditTarget;
  box: ScreenBox;
  /** What the preview shows for the values of a text, in order. */
  shown: readonly string[];
}

/** The editing of texts in a preview. */
export interface TextEditing {
  isOn: boolean;
  switchOn(isOn: boolean): void;
  /** Whether the person may replace images, too. */
  mayReplaceImages: boolean;
  /** The marked preview of what is on the page; null while there is none. */
  marked: Marked | null;
  /** The numbers of the texts that the preview shows of the HTML; null while that is not known. */
  shown: ReadonlySet<number> | null;
  onShown(numbers: ReadonlySet<number>): void;
  current: OpenEdit | null;
  open(edit: OpenEdit | null): void;
}

const KEPT = "posthaste.edit_texts";

/** Returns the editing of texts in the preview of a template; null for people who may not. */
export function useTextEditing(
  { view, draft, preview, tag, readOnly }: {
    view: TemplateView;
    draft: Draft;
    preview: Preview;
    tag: string | null;
    readOnly: boolean;
  },
): TextEditing | null {
  const [isOn, setOn] = useState(() => localStorage.getItem(KEPT) !== "no");
  const [current, setCurrent] = useState<OpenEdit | null>(null);
  const [shown, setShown] = useState<ReadonlySet<number> | null>(null);
  const { source } = draft;
  const marked = useMarked(view.kind, { source, preview, tag, isOn: isOn && !readOnly });
  const mayReplaceImages = useMay("editor");
  if (readOnly) return null;
  const isCurrent = marked !== null && hasSameNumbers(marked.of, source);
  return {
    isOn,
    switchOn(wanted) {
      localStorage.setItem(KEPT, wanted ? "yes" : "no");
      setOn(wanted);
    },
    marked: isCurrent ? marked : null,
    ...{ mayReplaceImages, current, shown },
    onShown: setShown,
    open: setCurrent,
  };
}
