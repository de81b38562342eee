import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { linter, lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  tooltips,
} from "@codemirror/view";
import { EDITOR_THEME } from "./editor_theme.ts";
import { hangingIndent } from "./hanging_indent.ts";
import { MJML_TAGS } from "./mjml_tags.ts";
import { placeholderMarks } from "./placeholder_marks.ts";
import { completeTemplate, type TemplateWords } from "./template_completion.ts";

/** The language of a text. */
export type CodeLanguage = "html" | "text" | "json";

/** Keys that leave the editor. */
export const HINT = "Tab leaves the editor. Ctrl+] or ⌘] indents, Ctrl+[ or ⌘[ takes it back.";

/** Appearance of a source, editable or not. */
export function sourceLook(language: CodeLanguage): Extension {
  return [
    EDITOR_THEME,
    EditorView.lineWrapping,
    hangingIndent,
    language === "json" ? json() : [
      placeholderMarks,
      // A block may open one element and another block close it: mismatches are not faults here.
      language === "html"
        ? html({ matchClosingTags: false, selfClosingTags: true, extraTags: MJML_TAGS })
        : [],
    ],
  ];
}

/** All features of an editor that do not change while it is open. */
export function codeExtensions(
  language: CodeLanguage,
  options: { label: string; words: () => TemplateWords },
): Extension {
  // One shared object: completion distinguishes its sources by identity.
  const source = [{ autocomplete: completeTemplate(options.words) }];
  return [
    sourceLook(language),
    lineNumbers(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    foldGutter(),
    lintGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: true }),
    // The container cuts it off at its edges.
    tooltips({ parent: document.body }),
    EditorState.tabSize.of(2),
    autocompletion(),
    language === "json"
      ? linter(jsonParseLinter(), { delay: 300 })
      : EditorState.languageData.of(() => source),
    EditorView.contentAttributes.of({
      "aria-label": options.label,
      "aria-description": HINT,
      tabindex: "0",
    }),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...foldKeymap,
      ...lintKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
  ];
}
