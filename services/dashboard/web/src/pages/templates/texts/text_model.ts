import { type Mark, type Node, Schema } from "prosemirror-model";
import type { TextToken } from "../../../../../texts/text_tokens.ts";
import { describeTag, nameOf } from "./tag_name.ts";

type Written = Pick<TextToken, "type" | "key">;

const atom = { inline: true, group: "inline", atom: true, draggable: false } as const;

/** The elements that the editor shows as they are; others are plain. */
const SHOWN = new Set(["b", "strong", "i", "em", "u", "s", "sub", "sup", "small", "code"]);

/** A text in the editor: one line of characters, values, line breaks and conditions, within elements. */
export const TEXT_SCHEMA = new Schema({
  nodes: {
    doc: { content: "line" },
    /** The editor reads what is typed in blocks only. */
    line: { content: "inline*", toDOM: () => ["div", 0] },
    text: { group: "inline" },
    /** A tag that prints a value. */
    value: {
      ...atom,
      attrs: { source: {}, shown: {} },
      toDOM: ({ attrs: { source, shown } }) => [
        "span",
        { class: "text-value", title: source },
        shown === "" ? nameOf(source) : shown,
      ],
    },
    break: { ...atom, toDOM: () => ["br"] },
    /** An element without content. */
    leaf: { ...atom, attrs: { source: {} }, toDOM: () => ["span"] },
    /** A part of a condition or a loop. */
    block: {
      ...atom,
      selectable: false,
      attrs: { source: {} },
      toDOM: (
        { attrs: { source } },
      ) => ["span", { class: "text-block", title: source }, describeTag(source)],
    },
  },
  marks: {
    element: {
      attrs: { source: {}, end: {}, number: {} },
      excludes: "",
      toDOM: ({ attrs: { source } }) => {
        const name = /^<(\w+)/.exec(source)?.[1]?.toLowerCase() ?? "span";
        if (name === "a") return ["span", { style: "text-decoration: underline" }, 0];
        return [SHOWN.has(name) ? name : "span", 0];
      },
    },
  },
});

/** Returns a text as the editor has it. `shown` has what the preview shows for each value, in order. */
export function textDocument(tokens: readonly TextToken[], shown: readonly string[]): Node {
  const { nodes, marks: { element } } = TEXT_SCHEMA;
  const content: Node[] = [];
  const ends = endTags(tokens);
  let marks: Mark[] = [];
  let values = 0;
  for (const [index, { type, key }] of tokens.entries()) {
    if (type === "open") {
      marks = [...marks, element.create({ source: key, end: ends.get(index), number: index })];
    } else if (type === "close") marks = marks.slice(0, -1);
    else if (type === "character") content.push(TEXT_SCHEMA.text(key, marks));
    else if (type === "value") {
      const attrs = { source: key, shown: shown[values++] ?? "" };
      content.push(nodes.value.create(attrs, null, marks));
    } else content.push(nodes[type].create({ source: key }, null, marks));
  }
  return nodes.doc.create(null, nodes.line.create(null, content));
}

/** Returns the tokens of a text in the editor. */
export function documentTokens(document: Node): Written[] {
  const tokens: Written[] = [];
  let open: readonly Mark[] = [];
  const change = (marks: readonly Mark[]) => {
    let same = 0;
    while (same < open.length && marks[same]?.eq(open[same] as Mark)) same++;
    for (const { attrs: { end } } of open.slice(same).toReversed()) {
      tokens.push({ type: "close", key: end });
    }
    for (const { attrs: { source } } of marks.slice(same)) {
      tokens.push({ type: "open", key: source });
    }
    open = marks;
  };
  document.child(0).forEach((node) => {
    change(node.marks);
    if (node.isText) {
      for (const key of node.text ?? "") tokens.push({ type: "character", key });
      return;
    }
    const type = node.type.name as "value" | "break" | "leaf" | "block";
    tokens.push({ type, key: type === "break" ? "<br>" : node.attrs["source"] });
  });
  change([]);
  return tokens;
}

function endTags(tokens: readonly TextToken[]): Map<number, string> {
  const ends = new Map<number, string>();
  const open: number[] = [];
  for (const [index, { type, key }] of tokens.entries()) {
    if (type === "open") open.push(index);
    if (type === "close") ends.set(open.pop() ?? -1, key);
  }
  return ends;
}
