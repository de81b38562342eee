import { SIGNS } from "./mark_signs.ts";

/** What a tag of Handlebars does: prints a value, is a part of a block, or anything else. */
export type TagRole = "value" | "open" | "else" | "close" | "other";

/** A tag of Handlebars in a source. */
export interface TemplateTag {
  start: number;
  end: number;
  role: TagRole;
  /** Whether it prints its value without escaping it. */
  isRaw: boolean;
}

const FORMS: readonly { begin: RegExp; whole: RegExp }[] = [
  { begin: /\{\{~?!--/y, whole: /\{\{~?!--[\s\S]*?--~?\}\}/y },
  { begin: /\{\{~?!/y, whole: /\{\{~?![\s\S]*?\}\}/y },
  { begin: /\{\{~?\{/y, whole: /\{\{~?\{[\s\S]*?\}~?\}\}/y },
  {
    begin: /\{\{/y,
    whole: /\{\{(?:"[^"]*"|'[^']*'|\[[^\]]*\]|[^}"'[]|\}(?!\}))*\}\}/y,
  },
];

/**
 * Returns the tags of Handlebars in a source, in order; null if one has no end, which makes the source invalid.
 * It takes time proportional to the length, whatever the source.
 */
export function templateTags(source: string): TemplateTag[] | null {
  const tags: TemplateTag[] = [];
  let from = 0;
  for (let at = source.indexOf("{{"); at !== -1; at = source.indexOf("{{", from)) {
    const form = FORMS.find(({ begin }) => matchAt(begin, source, at) !== undefined);
    const tag = form && matchAt(form.whole, source, at);
    if (tag === undefined) return null;
    const isEscaped = at > from && source[at - 1] === "\\";
    const start = isEscaped ? at - 1 : at;
    from = at + tag.length;
    const role = isEscaped ? "other" : roleOf(tag);
    tags.push({ start, end: from, role, isRaw: /^\{\{~?[{&]/.test(tag) });
  }
  return tags;
}

/** Returns whether a tag is a comment. */
export function isComment(source: string, { start }: TemplateTag): boolean {
  return matchAt(COMMENT, source, start) !== undefined;
}

const COMMENT = /\{\{~?!/y;

function matchAt(form: RegExp, source: string, at: number): string | undefined {
  form.lastIndex = at;
  return form.exec(source)?.[0];
}

/** Returns a source of the same length whose tags mean nothing in HTML. */
export function hideTags(source: string, tags: readonly TemplateTag[]): string {
  let hidden = "";
  let from = 0;
  for (const { start, end } of tags) {
    hidden += source.slice(from, start) + SIGNS.hidden.repeat(end - start);
    from = end;
  }
  return hidden + source.slice(from);
}

function roleOf(tag: string): TagRole {
  const inner = tag.replace(/^\{\{~?\s*/, "");
  if (/^(?:[!>*]|#[>*]|\{\{)/.test(inner)) return "other";
  if (/^(?:\^\s*~?\}\}$|else\b)/.test(inner)) return "else";
  if (/^[#^]/.test(inner)) return "open";
  return inner.startsWith("/") ? "close" : "value";
}
