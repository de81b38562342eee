import { useMemo, useState } from "react";
import type { PartialView } from "../../../../interface/partials.ts";
import type { LintFinding, PreviewView } from "../../../../interface/templates.ts";
import { CodeEditor } from "../../editor/lazy_editor.tsx";
import type { SourceMark } from "../../editor/source_mark.ts";
import { type Side, SourcePage } from "../../editor/source_page.tsx";
import { useMay } from "../../session.tsx";
import { allFindings } from "../templates/all_findings.ts";
import { usePartialWords } from "../templates/use_template_words.ts";
import { PartialHeader } from "./partial_header.tsx";
import { PartialPreview } from "./partial_preview.tsx";
import { useTouched } from "./partial_queries.ts";
import { usePartialDraft } from "./use_partial_draft.ts";
import { usePartialPreview } from "./use_partial_preview.ts";

/** The source of a partial and its preview, alone or within a template. */
export function PartialPage({ view }: { view: PartialView }) {
  const { name } = view;
  const draft = usePartialDraft(view);
  const readOnly = !useMay("editor");
  const { data: templates = [] } = useTouched(name);
  const [within, setWithin] = useState<string | null>(null);
  const [side, setSide] = useState<Side>("write");
  const preview = usePartialPreview(name, { source: draft.source, within });
  const marks = useMemo(() => partialMarks(name, preview.view), [name, preview.view]);
  const words = usePartialWords((preview.good ?? preview.view)?.variables);
  return (
    <SourcePage
      {...{ name, draft, readOnly, side }}
      kind="Partial"
      onSide={setSide}
      header={<PartialHeader view={view} title={name} draft={draft} />}
      writing={
        <CodeEditor
          language="html"
          label={`Source of the partial ${name}`}
          value={draft.source}
          onChange={draft.change}
          {...{ readOnly, marks, words }}
        />
      }
      preview={<PartialPreview {...{ preview, within, templates }} onWithin={setWithin} />}
    />
  );
}

/** Returns the findings of a preview that have a place in a partial. */
function partialMarks(
  name: string,
  view: Pick<PreviewView, "errors" | "findings"> | null,
): SourceMark[] {
  if (view === null) return [];
  const isHere = (found: LintFinding) => found.partial === name && found.line !== null;
  return allFindings(view).filter(isHere).map(({ line, column, message, severity }) => ({
    ...{ message, severity },
    line: line ?? 1,
    column: column ?? 1,
  }));
}
