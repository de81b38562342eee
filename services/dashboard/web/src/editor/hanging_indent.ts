import { countColumn, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin } from "@codemirror/view";

/** Deeper indentation would leave too few columns in narrow windows. */
const DEEPEST = 12;
const MORE = 2;
const TAB_SIZE = 2;

/** Returns the indentation of a wrapped line's second row, in columns: a little more than its first. */
export function hangOf(line: string): number {
  const blank = /^\s*/.exec(line)?.[0].length ?? 0;
  return Math.min(countColumn(line, TAB_SIZE, blank), DEEPEST) + MORE;
}

/** Indents the continuation of lines that are too long for the window. */
export const hangingIndent = ViewPlugin.define(
  (view: EditorView) => ({
    lines: hangingLines(view),
    update({ docChanged, viewportChanged, view }) {
      if (docChanged || viewportChanged) this.lines = hangingLines(view);
    },
  }),
  { decorations: ({ lines }) => lines },
);

function hangingLines({ state, visibleRanges }: EditorView): DecorationSet {
  const lines = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to;) {
      const line = state.doc.lineAt(at);
      lines.add(line.from, line.from, hanging(hangOf(line.text)));
      at = line.to + 1;
    }
  }
  return lines.finish();
}

/** The padding is what the editor gives every line, and the hang. */
function hanging(columns: number): Decoration {
  const style = `padding-left: calc(6px + ${columns}ch); text-indent: -${columns}ch`;
  return Decoration.line({ attributes: { style } });
}
