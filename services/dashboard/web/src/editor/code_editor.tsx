import { Box, Flex } from "@mantine/core";
import { setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, type Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { codeExtensions, type CodeLanguage, HINT } from "./code_extensions.ts";
import type { SourceMark } from "./source_mark.ts";
import type { TemplateWords } from "./template_completion.ts";

const FROM_OUTSIDE = Annotation.define<boolean>();
const NO_WORDS: TemplateWords = { paths: [], helpers: [], partials: [], describe: () => "" };

/** Properties of a code editor. */
export interface CodeEditorProps {
  value: string;
  /** Called after each change; not needed if the text is read-only. */
  onChange?: (value: string) => void;
  language: CodeLanguage;
  /** Name of the edited text, for screen readers. */
  label: string;
  readOnly?: boolean;
  /** Shown at their lines. */
  marks?: readonly SourceMark[];
  /** The cursor moves here whenever this becomes another object. */
  place?: { line: number; column: number } | null;
  /** Completions inside `{{…}}`. */
  words?: TemplateWords;
  /** Called with files that are dropped on the text; the cursor is then where they were dropped. */
  onFiles?: (files: File[]) => void;
  /** Its text is inserted at the cursor whenever this becomes another object. */
  insertion?: { text: string } | null;
}

/** An editor of source text, as high as its container. It is loaded when it is first shown. */
export default function CodeEditor(props: CodeEditorProps) {
  const { value, language, label, readOnly = false, marks, words = NO_WORDS } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const fixed = useRef(new Compartment());
  // Reported, but not yet returned as the value: a fast typist is ahead of it.
  const sent = useRef<string[]>([]);
  const latest = useRef(words);
  useEffect(() => {
    latest.current = words;
  }, [words]);
  const changed = useEffectEvent((text: string) => props.onChange?.(text));

  const dropped = useEffectEvent((event: DragEvent, editor: EditorView) => {
    const files = [...event.dataTransfer?.files ?? []];
    if (files.length === 0 || props.onFiles === undefined || readOnly) return false;
    event.preventDefault();
    const anchor = editor.posAtCoords({ x: event.clientX, y: event.clientY });
    if (anchor !== null) editor.dispatch({ selection: { anchor } });
    props.onFiles(files);
    return true;
  });

  useEffect(() => {
    if (place.current === null) return;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          codeExtensions(language, { label, words: () => latest.current }),
          fixed.current.of(EditorState.readOnly.of(readOnly)),
          EditorView.domEventHandlers({ drop: (event, editor) => dropped(event, editor) }),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            const typed = transactions.some((each) => each.annotation(FROM_OUTSIDE) !== true);
            if (!docChanged || !typed) return;
            const text = state.doc.toString();
            sent.current.push(text);
            changed(text);
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
    // Changes of the text and of its properties reach the editor below, without a new one.
  }, [language, label]);

  useEffect(() => {
    const editor = view.current;
    const known = sent.current.lastIndexOf(value);
    sent.current = sent.current.slice(known + 1);
    if (editor === null || known !== -1 || editor.state.doc.toString() === value) return;
    sent.current = [];
    const changes = { from: 0, to: editor.state.doc.length, insert: value };
    editor.dispatch({ changes, annotations: FROM_OUTSIDE.of(true) });
  }, [value, language, label]);

  useEffect(() => {
    view.current?.dispatch({
      effects: fixed.current.reconfigure(EditorState.readOnly.of(readOnly)),
    });
  }, [readOnly, language, label]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || marks === undefined) return;
    const diagnostics = marks.map(({ line, column, severity, message }) => ({
      ...rangeOf(editor.state.doc, { line, column }),
      severity,
      message,
    }));
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
  }, [marks, language, label]);

  const { insertion } = props;
  useEffect(() => {
    const editor = view.current;
    if (editor === null || !insertion) return;
    editor.dispatch(editor.state.replaceSelection(insertion.text));
    editor.focus();
  }, [insertion]);

  const { place: wanted } = props;
  useEffect(() => {
    const editor = view.current;
    if (editor === null || !wanted) return;
    const { from } = rangeOf(editor.state.doc, wanted);
    const effects = EditorView.scrollIntoView(from, { y: "center" });
    editor.dispatch({ selection: { anchor: from }, effects });
    editor.focus();
  }, [wanted]);

  return (
    <Flex className="code-editor" direction="column" h="100%" mih={0}>
      <div ref={place} style={{ flex: 1, minHeight: 0, overflow: "hidden" }} />
      <Box className="editor-hint" fz="xs" c="dimmed" px="sm" py={4} aria-hidden>{HINT}</Box>
    </Flex>
  );
}

/** Returns the range from the place to the end of its word or placeholder. */
function rangeOf(doc: Text, { line, column }: Pick<SourceMark, "line" | "column">) {
  const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const start = Math.min(from + column - 1, to);
  const rest = text.slice(start - from);
  const length = /^(?:\{\{[^}]*\}\}+|[\w.-]+|<[^>]*>?)/.exec(rest)?.[0].length ?? 1;
  return { from: start, to: Math.min(start + length, to) };
}
