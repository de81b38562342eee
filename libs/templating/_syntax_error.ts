import { clipped } from "./_clipped.ts";
import { handlebars } from "./_handlebars.ts";

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Turns an error of the Handlebars parser into a sentence for the author. */
export function explainSyntaxError(source: string, error: unknown): Place & { message: string } {
  const raw = error instanceof Error ? error.message : String(error);
  const placed = error as { lineNumber?: number; column?: number };
  const mismatch = mismatchIn(raw);
  if (mismatch) {
    const [open, close] = mismatch;
    return {
      line: placed.lineNumber ?? 1,
      column: blockColumn(source, placed),
      message: `{{#${open}}} is closed by {{/${close}}}: write {{/${open}}}`,
    };
  }
  let found = /got '([A-Z_]+)'\s*$/.exec(raw)?.[1];
  if (found === "EOF") {
    const open = lastOpenBlock(source);
    if (open) {
      return { ...open.place, message: `{{#${open.name}}} is never closed: add {{/${open.name}}}` };
    }
  }
  const stopped = stoppedAt(raw);
  if (found === "INVALID" && isUnclosed(source, stopped)) found = "EOF";
  const first = clipped(raw.split("\n", 1)[0] ?? raw, 400).replace(/ - \d{1,9}:\d{1,9}$/, "");
  return { ...stopped, message: found ? sentence(found, textAt(source, stopped)) : first };
}

/**
 * Returns the mismatched names. Cut by hand: an expression would try the middle at each of the names' own
 * words.
 */
function mismatchIn(raw: string): [string, string] | undefined {
  const middle = raw.indexOf(MISMATCH);
  const end = raw.lastIndexOf(" - ");
  if (middle < 1 || end < middle + MISMATCH.length || !/^ - \d+:\d+$/.test(raw.slice(end))) {
    return undefined;
  }
  return [
    clipped(raw.slice(0, middle), 100),
    clipped(raw.slice(middle + MISMATCH.length, end), 100),
  ];
}

const MISMATCH = " doesn't match ";

function sentence(found: string, text: string): string {
  switch (found) {
    case "EOF":
      return "The placeholder is not closed: add }}";
    case "INVALID":
      return `${text} is not allowed in a placeholder`;
    case "CLOSE_UNESCAPED":
      return "Three braces close what two braces opened: add a space between }} and }";
    case "CLOSE":
    case "CLOSE_RAW_BLOCK":
      return "The placeholder is closed too early, or with a different number of braces";
    case "OPEN_ENDBLOCK":
      return "This closes a block that was never opened";
    case "INVERSE":
    case "OPEN_INVERSE_CHAIN":
      return "{{else}} is outside of a block";
    case "EQUALS":
      return "A name=value pair is not expected here";
    default:
      return `${text} is not expected here`;
  }
}

/**
 * Returns where the lexer stopped. It still has the position: parsing is synchronous, and nothing ran since.
 */
function stoppedAt(raw: string): Place {
  const parser = (handlebars as unknown as { Parser?: { lexer?: { yylloc?: unknown } } }).Parser;
  const place = parser?.lexer?.yylloc as { first_line: number; first_column: number } | undefined;
  if (place) return { line: place.first_line, column: place.first_column + 1 };
  return { line: Number(/on line (\d+)/.exec(raw)?.[1] ?? 1), column: 1 };
}

function isUnclosed(source: string, { line, column }: Place): boolean {
  const rest = source.split("\n").slice(line - 1).join("\n").slice(column - 1);
  const [close, open] = [rest.indexOf("}}"), rest.indexOf("{{")];
  return close === -1 || (open !== -1 && open < close);
}

function textAt(source: string, { line, column }: Place): string {
  const rest = source.split("\n")[line - 1]?.slice(column - 1) ?? "";
  return `"${/^(?:[\p{L}\p{N}_]+|\S)/u.exec(rest)?.[0] ?? rest.slice(0, 1)}"`;
}

/** Returns the column of a block's braces. Handlebars points at the name in the opening tag. */
function blockColumn(
  source: string,
  { lineNumber = 1, column = 0 }: { lineNumber?: number; column?: number },
): number {
  const before = source.split("\n")[lineNumber - 1]?.slice(0, column) ?? "";
  const opened = before.lastIndexOf("{{");
  return (opened === -1 ? column : opened) + 1;
}

function lastOpenBlock(source: string): { name: string; place: Place } | undefined {
  const open: { name: string; offset: number }[] = [];
  for (const found of source.matchAll(/(?<!\\)\{\{~?([#^/])\s*([^\s}~]+)/g)) {
    if (found[1] === "/") open.pop();
    else open.push({ name: clipped(found[2] ?? "", 100), offset: found.index });
  }
  const last = open.at(-1);
  if (!last) return undefined;
  const before = source.slice(0, last.offset);
  const place = { line: before.split("\n").length, column: last.offset - before.lastIndexOf("\n") };
  return { name: last.name, place };
}
