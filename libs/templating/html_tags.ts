/** An attribute as written in the HTML, its name in lower case. */
export interface HtmlAttribute {
  name: string;
  /** Its value, with character references decoded. */
  value: string;
  /** The position of name and value: up to, not including, `end`. */
  start: number;
  end: number;
}

/** A start tag. */
export interface HtmlTag {
  /** In lower case. */
  name: string;
  attributes: HtmlAttribute[];
  /** The position of its `<`. */
  start: number;
  /** The position of the text, for an element that contains only text, such as `style`. */
  text?: { start: number; end: number };
}

/** The elements whose text is a style sheet. */
export const STYLE_SHEETS: ReadonlySet<string> = new Set(["style", "mj-style"]);

const TEXT_ONLY = /^(?:style|mj-style|script|textarea|title|xmp|iframe|noembed|noframes)$/;
const NAME = /[a-z][^\s/>]*/iy;
const BETWEEN = /[\s/]*/y;
const ATTRIBUTE = /=?[^\s/>=]*/y;
const EQUALS = /\s*=\s*/y;
const UNQUOTED = /[^\s>]*/y;
const REFERENCE = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|quot|apos|lt|gt));?/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
};

/**
 * Yields the start tags of HTML, in order. It takes time proportional to the length, whatever the HTML: a
 * whole parser builds trees, which malicious HTML makes large and slow. In broken HTML it may see fewer tags
 * than a browser, and it ends at an unclosed tag.
 */
export function* tagsOf(html: string): Generator<HtmlTag> {
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    const tag = startTagAt(html, at);
    if (typeof tag === "number") {
      if (tag < 0) return;
      at = tag;
      continue;
    }
    at = tag.end;
    const { name, attributes, start } = tag;
    if (name === "plaintext") return;
    if (!TEXT_ONLY.test(name)) {
      yield { name, attributes, start };
      continue;
    }
    const close = new RegExp(`</${name}`, "gi");
    close.lastIndex = at;
    const end = close.exec(html)?.index ?? html.length;
    yield { name, attributes, start, text: { start: at, end } };
    at = end;
  }
}

/** Returns the start tag at a `<`, or where to continue if it is something else; -1 at the end. */
function startTagAt(
  html: string,
  start: number,
): number | { name: string; attributes: HtmlAttribute[]; start: number; end: number } {
  if (html.startsWith("<!--", start)) return after(html, "-->", start + 4);
  if (/[!/?]/.test(html[start + 1] ?? "")) return after(html, ">", start + 1);
  const name = read(NAME, html, start + 1);
  if (name === undefined) return start + 1;
  let at = start + 1 + name.length;
  const attributes: HtmlAttribute[] = [];
  const seen = new Set<string>();
  while (true) {
    at += read(BETWEEN, html, at)?.length ?? 0;
    if (at >= html.length) return -1;
    if (html[at] === ">") {
      return { name: name.toLowerCase(), attributes, start, end: at + 1 };
    }
    const attribute = attributeAt(html, at);
    if (attribute === undefined) return -1;
    at = attribute.end;
    // Of two attributes with the same name, the first counts.
    if (!seen.has(attribute.name)) attributes.push(attribute);
    seen.add(attribute.name);
  }
}

function attributeAt(html: string, start: number): HtmlAttribute | undefined {
  const name = read(ATTRIBUTE, html, start) ?? "";
  let end = start + name.length;
  let value = "";
  const equals = read(EQUALS, html, end);
  if (equals !== undefined) {
    end += equals.length;
    const quote = html[end] ?? "";
    if (quote === '"' || quote === "'") {
      const close = html.indexOf(quote, end + 1);
      if (close < 0) return undefined;
      value = html.slice(end + 1, close);
      end = close + 1;
    } else {
      value = read(UNQUOTED, html, end) ?? "";
      end += value.length;
    }
  }
  return { name: name.toLowerCase(), value: withoutReferences(value), start, end };
}

function read(pattern: RegExp, html: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(html)?.[0];
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from);
  return found < 0 ? -1 : found + text.length;
}

function withoutReferences(text: string): string {
  return text.replace(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
  });
}
