import { baseKeymap } from "prosemirror-commands";
import { history, redo, undo } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import type { Node } from "prosemirror-model";
import { type Command, Plugin, type Transaction } from "prosemirror-state";
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
  isPlain: boolean,
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
      "Mod-z": undo,
      "Mod-y": redo,
      "Mod-Shift-z": redo,
      "Mod-Enter": run(onDone),
      Escape: run(onCancel),
      Enter: isPlain ? run(onDone) : lineBreak,
      "Shift-Enter": isPlain ? run(onDone) : lineBreak,
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
          view.dispatch(inserted(view.state.tr, text, isPlain));
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
  isPlain: boolean,
) {
  const { break: node } = TEXT_SCHEMA.nodes;
  const lines = text.split(/\r?\n/).map((line) => line.replace(/[\s\0]+/g, " "));
  transaction.deleteSelection();
  for (const [index, line] of (isPlain ? [lines.join(" ")] : lines).entries()) {
    if (index > 0) transaction.replaceSelectionWith(node.create());
    if (line !== "") transaction.insertText(line);
  }
  return transaction.scrollIntoView();
}

function blocksIn(document: Node): string {
  const blocks: string[] = [];
  document.forEach(({ type, attrs }) => {
    if (type.name === "block") blocks.push(attrs["source"]);
  });
  return blocks.join("\n");
}
