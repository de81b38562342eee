import { Box, Flex } from "@mantine/core";
import { setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, type Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { codeExtensions, type CodeLanguage, HINT } from "./code_extensions.ts";
import type { SourceMark } from "./source_mark.ts";
import type { TemplateWords } from "./template_completion.ts";

const FROM_OUTSIDE = Annotation.define<boolean>();
const NO_WORDS: TemplateWords = { paths: [], helpers: [], describe: () => "" };

/** What a code editor is given. */
export interface CodeEditorProps {
  value: string;
  /** Told each time that something is written; there is no need of it where nothing can be. */
  onChange?: (value: string) => void;
  language: CodeLanguage;
  /** What is edited, for those who do not see it. */
  label: string;
  readOnly?: boolean;
  /** Shown at their lines. */
  marks?: readonly SourceMark[];
  /** Where the cursor is put whenever this becomes another object. */
  place?: { line: number; column: number } | null;
  /** What is offered inside `{{…}}`. */
  words?: TemplateWords;
}

/** An editor of source text, as high as what it stands in. It is loaded when it is first shown. */
export default function CodeEditor(props: CodeEditorProps) {
  const { value, language, label, readOnly = false, marks, words = NO_WORDS } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const fixed = useRef(new Compartment());
  // Told, and not come back as the value yet: anyone who types fast is ahead of what is shown.
  const sent = useRef<string[]>([]);
  const latest = useRef(words);
  useEffect(() => {
    latest.current = words;
  }, [words]);
  const changed = useEffectEvent((text: string) => props.onChange?.(text));

  useEffect(() => {
    if (place.current === null) return;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          codeExtensions(language, { label, words: () => latest.current }),
          fixed.current.of(EditorState.readOnly.of(readOnly)),
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
    // What is written and what is told of it reach the editor below, without making a new one.
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

/** From the place to the end of its word or, if it is a placeholder, of that. */
function rangeOf(doc: Text, { line, column }: Pick<SourceMark, "line" | "column">) {
  const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const start = Math.min(from + column - 1, to);
  const rest = text.slice(start - from);
  const length = /^(?:\{\{[^}]*\}\}+|[\w.-]+|<[^>]*>?)/.exec(rest)?.[0].length ?? 1;
  return { from: start, to: Math.min(start + length, to) };
}
