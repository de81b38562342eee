import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const MONOSPACE = "var(--mantine-font-family-monospace)";
const LINE = "1px solid var(--mantine-color-default-border)";
const FLOATING = {
  backgroundColor: "var(--mantine-color-body)",
  color: "var(--mantine-color-text)",
  border: LINE,
  borderRadius: "var(--mantine-radius-sm)",
};

/** Each colour has a contrast of 4.5 and more on the page, in light and in dark. */
const INK = {
  tag: "light-dark(#0b6e3f, #7ddba3)",
  name: "light-dark(#1c4fa3, #9cc4ff)",
  text: "light-dark(#8f3a12, #ffb38a)",
  number: "light-dark(#8a2c86, #f0a6ec)",
  comment: "light-dark(#5f6670, #9aa3ad)",
  keyword: "light-dark(#6f2fb5, #cfa8ff)",
};

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "transparent", color: "inherit" },
  "&.cm-focused": {
    outline: "2px solid var(--mantine-primary-color-filled)",
    outlineOffset: "-2px",
  },
  ".cm-scroller": { fontFamily: MONOSPACE, lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { caretColor: "var(--mantine-color-text)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: INK.comment,
    border: "none",
  },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "light-dark(rgba(0, 0, 0, 0.035), rgba(255, 255, 255, 0.05))",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    {
      backgroundColor: "light-dark(#cfe5f5, #24506a)",
    },
  ".cm-placeholder-tag": {
    color: "light-dark(#7a1f5c, #ffb0dc)",
    backgroundColor: "light-dark(rgba(190, 40, 130, 0.08), rgba(255, 140, 210, 0.13))",
    borderRadius: "3px",
  },
  ".cm-placeholder-tag *": { color: "inherit" },
  ".cm-placeholder-block": { fontWeight: "600" },
  ".cm-placeholder-comment, .cm-placeholder-comment *": {
    color: INK.comment,
    backgroundColor: "transparent",
    fontStyle: "italic",
  },
  ".cm-tooltip": FLOATING,
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: MONOSPACE, maxHeight: "14em" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--mantine-primary-color-filled)",
    color: "var(--mantine-primary-color-contrast)",
  },
  ".cm-completionInfo": { maxWidth: "22em", whiteSpace: "pre-wrap", padding: "6px 10px" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.85" },
  ".cm-panels": {
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-text)",
    borderBottom: LINE,
  },
  ".cm-panels-top": { borderBottom: LINE },
  ".cm-textfield, .cm-button": {
    backgroundColor: "var(--mantine-color-body)",
    backgroundImage: "none",
    color: "inherit",
    border: LINE,
    borderRadius: "4px",
  },
  ".cm-foldPlaceholder": { ...FLOATING, padding: "0 6px" },
  ".cm-diagnostic": { padding: "6px 10px", fontFamily: "var(--mantine-font-family)" },
  ".cm-collapsedLines": {
    background: "light-dark(#eef1f4, #2b2f34)",
    color: INK.comment,
    padding: "3px 10px",
  },
  // Mantine's fonts, and many systems, lack the library's own sign.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"⋯" !important' },
  ".cm-deletedChunk": { backgroundColor: "light-dark(#fdeaea, #3d2122)" },
  ".cm-changedLine, .cm-inlineChangedLine": {
    backgroundColor: "light-dark(#e8f6ec, #1c3524) !important",
  },
  ".cm-changedText": { background: "light-dark(#d2f0da, #1b4029) !important" },
  ".cm-deletedText, .cm-deletedLine del": {
    background: "light-dark(#f7c6c6, #6d2f31) !important",
    textDecoration: "none",
  },
});

const highlight = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: INK.tag },
  { tag: [tags.attributeName, tags.propertyName], color: INK.name },
  { tag: [tags.attributeValue, tags.string], color: INK.text },
  { tag: [tags.number, tags.bool, tags.null, tags.unit, tags.color], color: INK.number },
  { tag: [tags.comment, tags.documentMeta, tags.processingInstruction], color: INK.comment },
  { tag: [tags.keyword, tags.className, tags.labelName], color: INK.keyword },
]);

/** Colours and font of every editor, by the page's variables: light and dark need no second theme. */
export const EDITOR_THEME: Extension = [theme, syntaxHighlighting(highlight)];
