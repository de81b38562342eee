import { markPartial } from "./mark_source.ts";
import { scanHtml } from "./scan_html.ts";
import { hideTags, templateTags } from "./template_tags.ts";
import { isEmptyTag, UNSEEN } from "./text_ranges.ts";

/** A partial by its name. */
export interface NamedSource {
  name: string;
  source: string;
}

/**
 * Returns the partials with signs around their texts, numbered in their order. Partials that something calls
 * outside of texts are left out, such as those with CSS or an address: signs would change what they mean.
 *
 * @param html The HTML of the template.
 */
export function markedPartials<One extends NamedSource>(
  html: string,
  partials: readonly One[],
): One[] {
  const sources = new Map(partials.map(({ name, source }) => [name, source]));
  const left = new Set<string>();
  const leaveOut = (name: string) => {
    if (left.has(name)) return;
    left.add(name);
    for (const call of partialCalls(sources.get(name) ?? "")) leaveOut(call.name);
  };
  for (const source of [html, ...sources.values()]) {
    for (const { name, isInText } of partialCalls(source)) if (!isInText) leaveOut(name);
  }
  return partials.filter(({ name }) => !left.has(name))
    .map((one, number) => ({ ...one, source: markPartial(one.source, number) }));
}

interface PartialCall {
  name: string;
  isInText: boolean;
}

const CALL = /^\{\{~?#?>\s*["']?([a-z][a-z\d_-]*)/;

/** Returns the calls of partials in HTML or MJML, in order. */
function partialCalls(html: string): PartialCall[] {
  const tags = templateTags(html) ?? [];
  const calls = tags.flatMap(({ start, end }) => {
    const name = CALL.exec(html.slice(start, end))?.[1];
    return name === undefined ? [] : [{ name, start }];
  });
  if (calls.length === 0) return [];
  const texts: { start: number; end: number }[] = [];
  let unseen: string | undefined;
  for (const piece of scanHtml(hideTags(html, tags))) {
    if (piece.type === "text") {
      if (unseen === undefined) texts.push(piece);
    } else if (piece.type === "open" || piece.type === "close") {
      const { type, name } = piece;
      const begins = type === "open" && UNSEEN.has(name) && !isEmptyTag(html, piece);
      if (unseen === undefined) unseen = begins ? name : undefined;
      else if (type === "close" && name === unseen || type === "open" && name === "body") {
        unseen = undefined;
      }
    }
  }
  let next = 0;
  return calls.map(({ name, start }) => {
    while ((texts[next]?.end ?? Infinity) <= start) next++;
    return { name, isInText: (texts[next]?.start ?? Infinity) <= start };
  });
}
