import { hasSigns } from "./mark_signs.ts";
import { matchedItems } from "./matched_items.ts";
import { type TextItem, textItems } from "./text_items.ts";
import { templateTags } from "./template_tags.ts";

/** What a changed text is compared with. */
export interface TextRule {
  before: string;
  /** Further tags that print values it may have. */
  values?: ReadonlySet<string>;
  /** Whether more text may precede and follow. It is so for every text with elements. @default {false} */
  isPart?: boolean;
}

/**
 * Returns why a text must not take another's place, or null if it may: it has the other's elements, blocks and
 * values only, in any number but blocks, and line breaks.
 */
export function textFault(after: string, { before, values = new Set() }: TextRule): string | null {
  if (hasSigns(after)) return "It has characters that must not be used";
  const items = textItems(after);
  const old = textItems(before) ?? [];
  if (items === null) return UNENDED;
  if (matchedItems(items).includes(false)) return "It has elements that are not text";
  const known = (type: TextItem["type"]) =>
    new Set(old.filter((item) => item.type === type).map((item) => sourceOf(item, before)));
  const [opens, closes, leaves] = [known("open"), known("close"), known("leaf")];
  const shown = known("value");
  for (const [index, item] of items.entries()) {
    const source = sourceOf(item, after);
    if (item.type === "open" && !opens.has(source)) return `It adds the element ${source}`;
    // A browser reads attributes of an end tag, and Handlebars the placeholders in it.
    if (item.type === "close" && !closes.has(source) && !/^<\/[a-z]+\s*>$/i.test(source)) {
      return `It adds the element ${source}`;
    }
    if (item.type === "leaf" && !leaves.has(source) && !/^<br\s*\/?>$/i.test(source)) {
      return `It adds the element ${source}`;
    }
    if (item.type === "value" && !shown.has(source) && !values.has(source)) {
      return `It adds the value ${source}`;
    }
    if (item.type === "characters" && !isSafe(source, items[index + 1], items[index - 1])) {
      return "It has curly braces or a backslash beside a placeholder";
    }
  }
  return blocksOf(items, after) === blocksOf(old, before) ? null : "It changes conditions";
}

/**
 * Returns why a subject or another text without elements must not take another's place, or null if it may.
 */
export function plainTextFault(
  after: string,
  { before, values = new Set(), isPart = false }: TextRule,
): string | null {
  if (hasSigns(after)) return "It has characters that must not be used";
  const tags = templateTags(after);
  const old = templateTags(before) ?? [];
  if (tags === null) return UNENDED;
  const sources = (of: typeof tags, source: string, isValue: boolean) =>
    of.filter(({ role }) => (role === "value") === isValue)
      .map(({ start, end }) => source.slice(start, end));
  const shown = new Set(sources(old, before, true));
  const added = sources(tags, after, true).find((tag) => !shown.has(tag) && !values.has(tag));
  if (added !== undefined) return `It adds the value ${added}`;
  let from = 0;
  for (const { start, end } of [...tags, { start: after.length, end: after.length }]) {
    const text = after.slice(from, start);
    const isBeforeTag = isPart || start < after.length;
    const isAfterTag = isPart || from > 0;
    if (
      text.includes("{{") || isBeforeTag && /[{\\]$/.test(text) ||
      isAfterTag && text.startsWith("}")
    ) {
      return "It has curly braces or a backslash beside a placeholder";
    }
    from = end;
  }
  const same = sources(tags, after, false).join() === sources(old, before, false).join();
  return same ? null : "It changes conditions";
}

const UNENDED = "It has a placeholder without an end";

function sourceOf({ start, end }: TextItem, source: string): string {
  return source.slice(start, end);
}

function blocksOf(items: readonly TextItem[], source: string): string {
  return items.filter(({ type }) => type === "block").map((item) => sourceOf(item, source)).join();
}

/** Whatever follows a text may begin with a placeholder. */
function isSafe(text: string, next: TextItem | undefined, last: TextItem | undefined): boolean {
  const isBeforeTag = next === undefined || next.type === "value" || next.type === "block";
  const isAfterTag = last === undefined || last.type === "value" || last.type === "block";
  return !/\{\{|</.test(text) && !(isBeforeTag && /[{\\]$/.test(text)) &&
    !(isAfterTag && text.startsWith("}"));
}
