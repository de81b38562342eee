import { translateMergeTags } from "./_translate_merge_tags.ts";
import type { Note } from "./_note.ts";

const TAG = /\{\{\{[^{}]+\}\}\}|\{\{[^{}]+\}\}/g;
const BLOCK = /^(#if|#unless|else if|elseif)\s*`([^`]*)`$/;
const COMPARISON = /^\s*([\w.@/]+)\s*(==|!=|>=|<=|>|<)\s*("[^"]*"|'[^']*'|[\w.@/-]+)\s*$/;
const COMPARING: Readonly<Record<string, string>> = {
  "==": "eq",
  "!=": "ne",
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
};
const REGION = /\bmc:(?:edit|repeatable|hideable|variant)\s*=\s*(?:"[^"]{0,100}"|'[^']{0,100}')/gi;

/** Translates the Handlebars of Mandrill, and its merge tags: `{{#if `plan == "pro"`}}`. */
export function translateMandrill(source: string, note: Note): string {
  for (const { 0: region, index } of source.matchAll(REGION)) {
    note(
      index,
      region,
      "Mandrill fills this region: write {{{name}}} into it, or leave its content",
    );
  }
  const merged = translateMergeTags(source, note);
  return merged.replace(TAG, (tag, at: number) => {
    const text = tag.replace(/^\{\{\{?|\}?\}\}$/g, "").trim();
    const leave = (why: string) => (note(placeIn(source, merged, at), tag, why), tag);
    const [, word, condition] = BLOCK.exec(text) ?? [];
    if (word !== undefined && condition !== undefined) {
      const test = conditionOf(condition);
      if (test === undefined) {
        return leave("The condition is too complex: write it with and, or, eq");
      }
      return `{{${word === "elseif" ? "else if" : word} ${test}}}`;
    }
    if (/^elseif\b/.test(text)) return `{{else if${text.slice("elseif".length)}}}`;
    const [, helper = "", rest = ""] =
      /^(url|title|striptags|unsub|date)\s+([\s\S]+)$/.exec(text) ?? [];
    if (helper === "url") return `{{urlEncode ${rest}}}`;
    if (helper !== "") return leave(`"${helper}" of Mandrill has no counterpart`);
    return tag;
  });
}

/** Returns the original place of a place in a translated text: its line stays the same. */
function placeIn(source: string, merged: string, at: number): number {
  const line = merged.slice(0, at).split("\n").length - 1;
  let start = 0;
  for (let n = 0; n < line; n++) start = source.indexOf("\n", start) + 1;
  const column = at - (merged.lastIndexOf("\n", at - 1) + 1);
  return Math.min(start + column, source.length);
}

function conditionOf(condition: string): string | undefined {
  const isAny = condition.includes("||");
  if (isAny && condition.includes("&&")) return undefined;
  const tests = condition.split(isAny ? "||" : "&&").map(testOf);
  if (tests.some((test) => test === undefined)) return undefined;
  return tests.length === 1 ? tests[0] : `(${isAny ? "or" : "and"} ${tests.join(" ")})`;
}

function testOf(condition: string): string | undefined {
  const [, left, sign = "", right] = COMPARISON.exec(condition) ?? [];
  if (left !== undefined) return `(${COMPARING[sign]} ${left} ${right})`;
  const [, not, name] = /^\s*(!?)\s*([\w.@/]+)\s*$/.exec(condition) ?? [];
  if (name === undefined) return undefined;
  return not === "!" ? `(not ${name})` : name;
}
