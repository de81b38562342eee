import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { type CodeLanguage, sourceLook } from "./code_extensions.ts";

/** The difference of two texts: deleted lines above their replacements, unchanged ones folded away. */
export default function DiffView({ before, after, language, label }: {
  before: string;
  after: string;
  language: CodeLanguage;
  label: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          sourceLook(language),
          lineNumbers(),
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            gutter: true,
            collapseUnchanged: { margin: 2, minSize: 5 },
            diffConfig: { scanLimit: 5_000, timeout: 500 },
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [before, after, language, label]);
  return <div ref={place} />;
}
