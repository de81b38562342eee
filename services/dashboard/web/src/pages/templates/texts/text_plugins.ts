import { baseKeymap } from "prosemirror-commands";
import { history, redo, undo } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import type { Node } from "prosemirror-model";
import { type Command, Plugin, TextSelection, type Transaction } from "prosemirror-state";
import { TEXT_SCHEMA } from "./text_model.ts";

/** What the editor of a text reports. */
export interface TextEvents {
  onDone(): void;
  onCancel(): void;
  /** A change was refused, as it would take a part of a condition away. */
  onRefused(): void;
}

/** Returns how the editor of a text behaves. */
export function textPlugins(
  { onDone, onCancel, onRefused }: TextEvents,
  isOneLine: boolean,
): Plugin[] {
  const run = (act: () => void): Command => () => {
    act();
    return true;
  };
  const lineBreak: Command = (state, dispatch) => {
    const { break: node } = TEXT_SCHEMA.nodes;
    dispatch?.(state.tr.replaceSelectionWith(node.create()).scrollIntoView());
    return true;
  };
  return [
    history(),
    keymap({
      "Mod-a": selectAll,
      Home: moveTo(lineStart),
      End: moveTo(lineEnd),
      "Shift-Home": moveTo(lineStart, { selects: true }),
      "Shift-End": moveTo(lineEnd, { selects: true }),
      "Mod-Home": moveTo(() => START),
      "Mod-End": moveTo(endOf),
      Backspace: deleteSelected,
      Delete: deleteSelected,
      "Mod-z": undo,
      "Mod-y": redo,
      "Mod-Shift-z": redo,
      "Mod-Enter": run(onDone),
      Escape: run(onCancel),
      Enter: isOneLine ? run(onDone) : lineBreak,
      "Shift-Enter": isOneLine ? run(onDone) : lineBreak,
    }),
    keymap(baseKeymap),
    new Plugin({
      filterTransaction(transaction, state) {
        if (!transaction.docChanged || blocksIn(transaction.doc) === blocksIn(state.doc)) {
          return true;
        }
        onRefused();
        return false;
      },
      props: {
        // Other programs' styles do not belong into the template.
        handlePaste(view, event) {
          const text = event.clipboardData?.getData("text/plain") ?? "";
          view.dispatch(inserted(view.state.tr, text, isOneLine));
          return true;
        },
        handleTextInput(view, from, to, text) {
          if (!hasBlocks(view.state.doc, from, to)) return false;
          view.dispatch(withoutText(view.state.tr, from, to).insertText(text));
          return true;
        },
        handleDrop: (_view, _event, _slice, isMoved) => !isMoved,
      },
    }),
  ];
}

function inserted(
  transaction: Transaction,
  text: string,
  isOneLine: boolean,
) {
  const { break: node } = TEXT_SCHEMA.nodes;
  const lines = text.split(/\r?\n/).map((line) => line.replace(/[\s\0]+/g, " "));
  const { from, to } = transaction.selection;
  if (hasBlocks(transaction.doc, from, to)) {
    withoutText(transaction, from, to);
  } else transaction.deleteSelection();
  for (const [index, line] of (isOneLine ? [lines.join(" ")] : lines).entries()) {
    if (index > 0) transaction.replaceSelectionWith(node.create());
    if (line !== "") transaction.insertText(line);
  }
  return transaction.scrollIntoView();
}

/** Selects the text. The editor's own way to select all has no place in it. */
const selectAll: Command = ({ doc, tr }, dispatch) => {
  dispatch?.(tr.setSelection(TextSelection.create(doc, START, endOf(doc))));
  return true;
};

/** The first position of the line. */
const START = 1;

function endOf({ content }: Node): number {
  return content.size - 1;
}

type PlaceOf = (document: Node, from: number) => number;

/** Moves the cursor, or selects up to there. Browsers stop at values. */
function moveTo(placeOf: PlaceOf, { selects = false } = {}): Command {
  return ({ doc, tr, selection: { anchor, head } }, dispatch) => {
    const place = placeOf(doc, head);
    const selection = TextSelection.create(doc, selects ? anchor : place, place);
    dispatch?.(tr.setSelection(selection).scrollIntoView());
    return true;
  };
}

const lineStart: PlaceOf = (document, from) => {
  let start = START;
  document.nodesBetween(START, from, ({ type, nodeSize }, position) => {
    if (type.name === "break" && position + nodeSize <= from) start = position + nodeSize;
  });
  return start;
};

const lineEnd: PlaceOf = (document, from) => {
  let end = endOf(document);
  document.nodesBetween(from, end, ({ type }, position) => {
    if (type.name === "break" && position >= from) end = Math.min(end, position);
  });
  return end;
};

/** Deletes what is selected around the parts of a condition, if there are any. */
const deleteSelected: Command = ({ doc, tr, selection: { from, to } }, dispatch) => {
  if (!hasBlocks(doc, from, to)) return false;
  dispatch?.(withoutText(tr, from, to).scrollIntoView());
  return true;
};

function hasBlocks(document: Node, from: number, to: number): boolean {
  let found = false;
  document.nodesBetween(from, to, ({ type }) => {
    found ||= type.name === "block";
  });
  return from < to && found;
}

/** Deletes all but the parts of conditions. */
function withoutText(transaction: Transaction, from: number, to: number): Transaction {
  const ranges: [number, number][] = [];
  transaction.doc.nodesBetween(from, to, ({ type, nodeSize, isInline }, position) => {
    if (!isInline || type.name === "block") return;
    ranges.push([Math.max(from, position), Math.min(to, position + nodeSize)]);
  });
  for (const range of ranges.toReversed()) transaction.delete(...range);
  return transaction.setSelection(TextSelection.create(transaction.doc, from));
}

function blocksIn(document: Node): string {
  const blocks: string[] = [];
  document.descendants(({ type, attrs }) => {
    if (type.name === "block") blocks.push(attrs["source"]);
  });
  return blocks.join("\n");
}
