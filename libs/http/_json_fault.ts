/** The place where a text stops being JSON. Both count from 1; a column is a UTF-16 unit. */
export interface JsonPlace {
  line: number;
  column: number;
}

const TOKEN_PATTERN = /[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const UNICODE_PATTERN = /\\u[0-9a-fA-F]{4}/y;
const SHORT_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const BLANKS_PATTERN = /[ \t\n\r]*/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | "more" | "nothing";

/**
 * Finds the first place at which a text is not JSON (RFC 8259); returns `undefined` if it is JSON. The
 * messages of `JSON.parse` do not always contain the place, and they quote the text.
 */
export function findJsonFault(text: string): JsonPlace | undefined {
  const open: string[] = [];
  let expected: Expected = "value";
  let position = 0;
  while (true) {
    position = endOf(BLANKS_PATTERN, text, position) ?? position;
    if (position === text.length && expected === "nothing") return undefined;
    const end = text[position] === '"'
      ? endOfString(text, position)
      : endOf(TOKEN_PATTERN, text, position);
    if (end === undefined) return placeOf(text, position);
    const next = follow(text.slice(position, Math.min(end, position + 1)), expected, open);
    if (next === undefined) return placeOf(text, position);
    expected = next;
    position = end;
  }
}

/** Returns what may follow a token, by its first character; nothing if the token is out of place. */
function follow(token: string, expected: Expected, open: string[]): Expected | undefined {
  const isKey = expected === "key" || expected === "key or }";
  const isValue = expected === "value" || expected === "value or ]";
  switch (token) {
    case "{":
    case "[":
      if (!isValue) return undefined;
      open.push(token);
      return token === "{" ? "key or }" : "value or ]";
    case "}":
      if (expected !== "key or }" && (expected !== "more" || open.at(-1) !== "{")) return undefined;
      return close(open);
    case "]":
      if (expected !== "value or ]" && (expected !== "more" || open.at(-1) !== "[")) {
        return undefined;
      }
      return close(open);
    case ",":
      if (expected !== "more") return undefined;
      return open.at(-1) === "{" ? "key" : "value";
    case ":":
      return expected === ":" ? "value" : undefined;
    default:
      if (isKey) return token === '"' ? ":" : undefined;
      return isValue ? afterValue(open) : undefined;
  }
}

function close(open: string[]): Expected {
  open.pop();
  return afterValue(open);
}

function afterValue(open: string[]): Expected {
  return open.length === 0 ? "nothing" : "more";
}

function endOf(pattern: RegExp, text: string, position: number): number | undefined {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/**
 * Finds the end of a string. A pattern for whole strings would store each of millions of escapes for
 * backtracking.
 */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    const next = code === 0x5c ? endOfEscape(text, at) : code < 0x20 ? undefined : at + 1;
    if (next === undefined) return undefined;
    at = next;
  }
  return undefined;
}

/** Finds the end of an escape, without a pattern for the short ones: there may be millions. */
function endOfEscape(text: string, start: number): number | undefined {
  if (SHORT_ESCAPES.has(text.charCodeAt(start + 1))) return start + 2;
  return endOf(UNICODE_PATTERN, text, start);
}

function placeOf(text: string, position: number): JsonPlace {
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < position; at++) {
    if (text.charCodeAt(at) !== 0x0a) continue;
    line++;
    lineStart = at + 1;
  }
  return { line, column: position - lineStart + 1 };
}
