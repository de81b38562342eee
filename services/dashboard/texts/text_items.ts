import { type HtmlPiece, scanHtml } from "./scan_html.ts";
import { hideTags, type TemplateTag, templateTags } from "./template_tags.ts";

/** What can stand inside of a text: characters, values, line breaks, and pairs of tags around them. */
export type TextItem =
  & { start: number; end: number }
  & (
    | { type: "characters" }
    /** A character reference. */
    | { type: "reference"; text: string }
    | { type: "value"; isRaw: boolean }
    /** An inline element without content. */
    | { type: "leaf"; name: string }
    /** An inline element around text. */
    | { type: "open" | "close"; name: string }
    /** A part of a block of Handlebars. */
    | { type: "block"; role: "open" | "else" | "close" }
    /** Anything that does not belong into a text. */
    | { type: "end"; piece: HtmlPiece | TemplateTag }
  );

/** The elements that stand inside of a text. */
export const INLINE: ReadonlySet<string> = new Set(
  ("a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong " +
    "sub sup time tt u var").split(" "),
);
const LEAVES = new Set(["br", "wbr"]);

/** Returns the items of HTML or MJML, in order; null if its placeholders are not valid. */
export function textItems(source: string): TextItem[] | null {
  const tags = templateTags(source);
  if (tags === null) return null;
  const items: TextItem[] = [];
  let next = 0;
  for (const piece of scanHtml(hideTags(source, tags))) {
    const { start, end } = piece;
    while ((tags[next]?.start ?? Infinity) < start) next++;
    if (piece.type !== "text") {
      items.push(itemOf(piece));
      continue;
    }
    let from = start;
    for (let tag = tags[next]; tag !== undefined && tag.start < end; tag = tags[++next]) {
      if (tag.start > from) items.push({ type: "characters", start: from, end: tag.start });
      items.push(itemOfTag(tag));
      from = tag.end;
    }
    if (from < end) items.push({ type: "characters", start: from, end });
  }
  return withLeaves(items);
}

function itemOf(piece: Exclude<HtmlPiece, { type: "text" }>): TextItem {
  const { start, end, type } = piece;
  if (type === "reference") return { type, start, end, text: piece.text };
  if (type === "open" && LEAVES.has(piece.name)) {
    return { type: "leaf", name: piece.name, start, end };
  }
  if ((type === "open" || type === "close") && INLINE.has(piece.name)) {
    return { type, name: piece.name, start, end };
  }
  return { type: "end", piece, start, end };
}

function itemOfTag(tag: TemplateTag): TextItem {
  const { start, end, role, isRaw } = tag;
  if (role === "value") return { type: "value", isRaw, start, end };
  if (role === "other") return { type: "end", piece: tag, start, end };
  return { type: "block", role, start, end };
}

/** Joins the tags of inline elements without content. */
function withLeaves(items: readonly TextItem[]): TextItem[] {
  const joined: TextItem[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (item.type === "close" && last?.type === "open" && last.name === item.name) {
      joined[joined.length - 1] = { ...last, type: "leaf", end: item.end };
    } else joined.push(item);
  }
  return joined;
}
