import { textItems } from "./text_items.ts";
import { templateTags } from "./template_tags.ts";

/** A piece of a text as an editor shows it. */
export interface TextToken {
  type: "character" | "value" | "break" | "leaf" | "block" | "open" | "close";
  /** Equal for tokens that mean the same: a character, or the source of anything else. */
  key: string;
  /** As written in the source, with the spaces around a line break. */
  raw: string;
}

const SPACES = /[ \t\r\n\f]+/y;

/** Returns the tokens of a text of HTML or MJML. Several spaces are one, as for a reader. */
export function textTokens(text: string): TextToken[] {
  const tokens: TextToken[] = [];
  for (const item of textItems(text) ?? []) {
    const raw = text.slice(item.start, item.end);
    if (item.type === "characters") tokens.push(...characters(raw));
    else if (item.type === "reference") tokens.push({ type: "character", key: item.text, raw });
    else if (item.type === "leaf" && item.name === "br") {
      tokens.push({ type: "break", key: BREAK, raw });
    } else if (item.type !== "end") tokens.push({ type: item.type, key: raw, raw });
  }
  return withSpacesInBreaks(tokens);
}

/** Returns the tokens of a subject or another text without elements. Each end of a line is a break. */
export function plainTokens(text: string): TextToken[] {
  const tokens: TextToken[] = [];
  let from = 0;
  const add = (written: string) => {
    for (const [raw] of written.matchAll(/\r?\n|[^]/gu)) {
      tokens.push(
        raw.endsWith("\n")
          ? { type: "break", key: BREAK, raw }
          : { type: "character", key: raw, raw },
      );
    }
  };
  for (const { start, end, role } of templateTags(text) ?? []) {
    add(text.slice(from, start));
    const raw = text.slice(start, end);
    tokens.push({ type: role === "value" ? "value" : "block", key: raw, raw });
    from = end;
  }
  add(text.slice(from));
  return tokens;
}

/** The key of every line break, however it is written. */
const BREAK = "<br>";

function characters(text: string): TextToken[] {
  const tokens: TextToken[] = [];
  for (let at = 0; at < text.length;) {
    SPACES.lastIndex = at;
    const spaces = SPACES.exec(text)?.[0];
    const raw = spaces ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
    tokens.push({ type: "character", key: spaces === undefined ? raw : " ", raw });
    at += raw.length;
  }
  return tokens;
}

/** The spaces around a line break are not shown: they go with it. */
function withSpacesInBreaks(tokens: readonly TextToken[]): TextToken[] {
  const joined: TextToken[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    const isSpace = token.type === "character" && token.key === " ";
    if (isSpace && last?.type === "break") {
      joined[joined.length - 1] = { ...last, raw: last.raw + token.raw };
    } else if (token.type === "break" && last?.type === "character" && last.key === " ") {
      joined[joined.length - 1] = { ...token, raw: last.raw + token.raw };
    } else joined.push(token);
  }
  return joined;
}
