import { useState } from "react";
import type { AssetView } from "../../../../../interface/assets.ts";
import type { TemplateView } from "../../../../../interface/templates.ts";
import { useMay } from "../../../session.tsx";
import { type Draft } from "../use_draft.ts";
import type { Preview } from "../use_preview.ts";
import { type EditTarget, hasSameNumbers, type TextBodies } from "./text_editing.ts";
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

/** A text beside which something is added. */
export type Chosen = Omit<OpenEdit, "box">;

/** The editing of texts in a preview. */
export interface TextEditing {
  isOn: boolean;
  switchOn(isOn: boolean): void;
  /** Whether the person may add and replace images, too. */
  mayChangeImages: boolean;
  /** Returns whether a click opens something of the preview now. */
  offers(type: EditTarget["type"]): boolean;
  /** The marked preview of what is on the page; null while there is none. */
  marked: Marked | null;
  /** The numbers of the texts that the preview shows of the HTML; null while that is not known. */
  shown: ReadonlySet<number> | null;
  onShown(numbers: ReadonlySet<number>): void;
  current: OpenEdit | null;
  /** Opens something for editing. While a place for an image is asked for, a text is only chosen. */
  open(edit: OpenEdit | null): void;
  /** The text of the HTML that was clicked last; null if there is none. */
  chosen: Chosen | null;
  /** The new image whose place is asked for. */
  placing: AssetView | null;
  place(image: AssetView | null): void;
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
  const [clicked, setClicked] = useState<Chosen & { of: TextBodies } | null>(null);
  const [placing, setPlacing] = useState<AssetView | null>(null);
  const { source } = draft;
  const marked = useMarked(view.kind, { source, preview, tag, isOn: isOn && !readOnly });
  const mayChangeImages = useMay("editor");
  if (readOnly) return null;
  const isCurrent = marked !== null && hasSameNumbers(marked.of, source);
  return {
    isOn,
    switchOn(wanted) {
      localStorage.setItem(KEPT, wanted ? "yes" : "no");
      setOn(wanted);
    },
    marked: isCurrent ? marked : null,
    ...{ mayChangeImages, current, shown, placing },
    offers: (type) => placing === null ? type !== "image" || mayChangeImages : type === "text",
    onShown: setShown,
    open(edit) {
      const isText = edit?.target.type === "text";
      if (isText) setClicked({ ...edit, of: source });
      if (!isText || placing === null) setCurrent(edit);
    },
    chosen: clicked !== null && hasSameNumbers(clicked.of, source) ? clicked : null,
    place: setPlacing,
  };
}
