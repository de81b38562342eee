import { TAG } from "./_placeholders.ts";

/** A call of a partial: `{{> name args}}`, or `{{#> name args}}…{{/name}}` with a body. */
export interface PartialCall {
  readonly type: "call";
  /** Missing if the name is computed: `{{> (lookup …)}}`. */
  readonly name: string | undefined;
  readonly args: string;
  readonly at: number;
  readonly body?: readonly PartialNode[];
}

/** A partial that a source defines for itself: `{{#*inline "name"}}…{{/inline}}`. */
export interface InlinePartial {
  readonly type: "inline";
  readonly name: string;
  readonly at: number;
  readonly body: readonly PartialNode[];
}

/** A piece of a source: text as it is, with all other tags, a call, or a definition. */
export type PartialNode =
  | { readonly type: "text"; readonly text: string; readonly at: number }
  | PartialCall
  | InlinePartial;

const CALL = /^\{\{~?(#?)>\s*(?:"([^"]*)"|'([^']*)'|([@\w.-]+)|(?=\())/;
const INLINE = /^\{\{~?#\*\s*inline\s+(?:"([^"]*)"|'([^']*)'|([\w.-]+))\s*~?\}\}$/;
const OPENS = /^\{\{~?(?:#|\^\s*[^\s~}])/;
const CLOSES = /^\{\{~?\//;

interface Open {
  nodes: PartialNode[];
  /** Adds the node of the block to its parent; missing for blocks that stay as they are. */
  close?: () => void;
}

/**
 * Returns the pieces of a source that Handlebars can parse. A tag of a partial that stands alone on its line
 * takes the line with it, as in Handlebars.
 */
export function partialNodes(source: string): PartialNode[] {
  const top: PartialNode[] = [];
  const open: Open[] = [{ nodes: top }];
  let from = 0;
  const nodes = () => open.at(-1)?.nodes ?? top;
  const endText = (until: number) => {
    if (until > from) nodes().push({ type: "text", text: source.slice(from, until), at: from });
  };
  for (const { 0: found, index } of source.matchAll(TAG)) {
    const isEscaped = found.startsWith("\\") && source[index - 1] !== "\\";
    const tag = found.replace(/^\\/, "");
    if (isEscaped) continue;
    const at = index + found.length - tag.length;
    const cut = () => {
      const [start, end] = lineOf(source, { at, tag });
      endText(Math.max(from, start));
      from = end;
    };
    const call = CALL.exec(tag);
    const inline = INLINE.exec(tag);
    if (call || inline) {
      cut();
      const name = call ? call[2] ?? call[3] ?? call[4] : inline?.[1] ?? inline?.[2] ?? inline?.[3];
      const args = call ? tag.slice(call[0].length).replace(/~?\}\}$/, "").trim() : "";
      const parent = nodes();
      if (call && call[1] === "") {
        parent.push({ type: "call", name, args, at });
        continue;
      }
      const body: PartialNode[] = [];
      open.push({
        nodes: body,
        close: () =>
          parent.push(
            call
              ? { type: "call", name, args, at, body }
              : { type: "inline", name: name ?? "", at, body },
          ),
      });
    } else if (CLOSES.test(tag)) {
      const closed = open.at(-1);
      if (closed?.close) cut();
      if (open.length > 1) open.pop();
      closed?.close?.();
    } else if (OPENS.test(tag)) {
      open.push({ nodes: nodes() });
    }
  }
  endText(source.length);
  return top;
}

/** Returns where a tag begins and ends, with its line if nothing else is on it, and what `~` removes. */
function lineOf(source: string, { at, tag }: { at: number; tag: string }): [number, number] {
  let start = at;
  let end = at + tag.length;
  while (start > 0 && " \t".includes(source[start - 1] ?? "")) start--;
  while (end < source.length && " \t".includes(source[end] ?? "")) end++;
  const isAlone = (start === 0 || source[start - 1] === "\n") &&
    (end === source.length || /\r?\n/y.test(source.slice(end, end + 2)));
  if (!isAlone) [start, end] = [at, at + tag.length];
  else if (end < source.length) end = source.indexOf("\n", end) + 1;
  if (tag.startsWith("{{~")) { while (start > 0 && isSpace(source, start - 1)) start--; }
  if (tag.endsWith("~}}")) { while (end < source.length && isSpace(source, end)) end++; }
  return [start, end];
}

function isSpace(source: string, at: number): boolean {
  return /\s/.test(source[at] ?? "x");
}
