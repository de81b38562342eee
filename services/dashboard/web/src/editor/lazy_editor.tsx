import { lazy, Suspense } from "react";
import { Waiting } from "../parts/states.tsx";
import type { CodeEditorProps } from "./code_editor.tsx";
import type { CodeLanguage } from "./code_extensions.ts";

const Editor = lazy(() => import("./code_editor.tsx"));
const Diff = lazy(() => import("./diff_view.tsx"));

/** A code editor, whose code is loaded when one is first shown. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Waiting label="Loading the editor" />}>
      <Editor {...props} />
    </Suspense>
  );
}

/** Read-only source text, displayed as in the editor. */
export function CodeView(props: Pick<CodeEditorProps, "value" | "language" | "label">) {
  return <CodeEditor {...props} readOnly />;
}

/** The difference of two texts; loaded when it is first shown. */
export function DiffView(props: {
  before: string;
  after: string;
  language: CodeLanguage;
  label: string;
}) {
  return (
    <Suspense fallback={<Waiting label="Comparing" />}>
      <Diff {...props} />
    </Suspense>
  );
}
