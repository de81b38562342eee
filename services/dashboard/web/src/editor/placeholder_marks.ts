import { Decoration, type EditorView, MatchDecorator, ViewPlugin } from "@codemirror/view";

const PLACEHOLDER = /\{\{\{?~?\s*([#/^!]|else\b)?[^{}]*\}\}\}?/g;
const VALUE = Decoration.mark({ class: "cm-placeholder-tag" });
const BLOCK = Decoration.mark({ class: "cm-placeholder-tag cm-placeholder-block" });
const COMMENT = Decoration.mark({ class: "cm-placeholder-comment" });

const matcher = new MatchDecorator({
  regexp: PLACEHOLDER,
  decoration: ([, sign]) => sign === undefined ? VALUE : sign === "!" ? COMMENT : BLOCK,
});

/** Highlights `{{placeholders}}` in HTML or text. */
export const placeholderMarks = ViewPlugin.define(
  (view: EditorView) => ({
    marks: matcher.createDeco(view),
    update(update) {
      this.marks = matcher.updateDeco(update, this.marks);
    },
  }),
  { decorations: ({ marks }) => marks },
);
