import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef } from "react";
import type { TextToken } from "../../../../../texts/text_tokens.ts";
import { documentTokens, TEXT_SCHEMA, textDocument } from "./text_model.ts";
import { textPlugins } from "./text_plugins.ts";
import "./text_editor.css";

/** What the surroundings of the editor may do with its text. */
export interface TextHandle {
  /** Returns the text; null if it is as it was. */
  changed(): Pick<TextToken, "type" | "key">[] | null;
  /** Inserts a tag that prints a value. */
  insert(value: { source: string; shown: string }): void;
}

/** Properties of the editor of a text. */
export interface TextEditorProps {
  tokens: readonly TextToken[];
  /** What the preview shows for each value, in order. */
  shown: readonly string[];
  /** Whether the text has no line breaks, as a subject. */
  isOneLine: boolean;
  ref: Ref<TextHandle>;
  onDone: () => void;
  onCancel: () => void;
  onRefused: () => void;
}

/** An editor of one text: values are chips, and the elements around words stay. */
export default function TextEditor({ tokens, shown, isOneLine, ref, ...events }: TextEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const begin = useRef(textDocument(tokens, shown));
  const onDone = useEffectEvent(events.onDone);
  const onCancel = useEffectEvent(events.onCancel);
  const onRefused = useEffectEvent(events.onRefused);

  useEffect(() => {
    const handlers = {
      onDone: () => onDone(),
      onCancel: () => onCancel(),
      onRefused: () => onRefused(),
    };
    const editor = new EditorView(place.current, {
      state: EditorState.create({ doc: begin.current, plugins: textPlugins(handlers, isOneLine) }),
      attributes: {
        class: "text-editor",
        role: "textbox",
        "aria-label": "Text",
        "aria-multiline": isOneLine ? "false" : "true",
        spellcheck: "true",
      },
    });
    view.current = editor;
    editor.focus();
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [isOneLine]);

  useImperativeHandle(ref, () => ({
    changed() {
      const document = view.current?.state.doc;
      return document === undefined || document.eq(begin.current) ? null : documentTokens(document);
    },
    insert(value) {
      const editor = view.current;
      if (editor === null) return;
      const node = TEXT_SCHEMA.nodes.value.create(value);
      editor.dispatch(editor.state.tr.replaceSelectionWith(node).scrollIntoView());
      editor.focus();
    },
  }), []);
  return <div ref={place} />;
}
