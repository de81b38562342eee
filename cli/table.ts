import stringWidth from "string-width";
import { printableLine } from "./printable.ts";

/** A cell: its text, and the colour of the padded text. */
export interface Cell {
  text: string;
  style?: ((text: string) => string) | undefined;
}

/** How a table is laid out. */
export interface TableOptions {
  /** Columns of the terminal: the last column is broken into lines to fit; 0 for never. */
  width?: number;
  /** Put before each line. @default {""} */
  indent?: string;
  /** Colours the head. */
  head?: (text: string) => string;
}

const GAP = "  ";
const LEAST_LAST_COLUMN = 24;

/**
 * Returns rows under a head, each column as wide as its widest cell. Columns in which no row has anything are
 * left out.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | Cell)[])[],
  options: TableOptions = {},
): string {
  const { width = 0, indent = "", head: styleHead } = options;
  const cells = rows.map((row) => row.map(toCell));
  const used = head.map((_, column) => column).filter((column) =>
    cells.length === 0 || cells.some((row) => (row[column]?.text ?? "") !== "")
  );
  const lines = [head.map((text) => ({ text, style: styleHead })), ...cells]
    .map((row) => used.map((column) => row[column] ?? { text: "" }));
  const widths = used.map((_, column) =>
    Math.max(...lines.map((row) => stringWidth(row[column]?.text ?? "")))
  );
  const before = stringWidth(indent) +
    widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
  const room = width - before;
  const limit = room >= LEAST_LAST_COLUMN ? room : Infinity;
  return lines.flatMap((row) => layOut(row, { widths, limit, before, indent })).join("\n");
}

interface Layout {
  widths: readonly number[];
  limit: number;
  before: number;
  indent: string;
}

function layOut(row: readonly Cell[], { widths, limit, before, indent }: Layout): string[] {
  const last = row.at(-1) ?? { text: "" };
  const [first = "", ...more] = wrap(last.text, limit);
  const start = row.slice(0, -1).map((cell, column) =>
    paint(cell, pad(cell.text, widths[column] ?? 0)) + GAP
  ).join("");
  return [
    (indent + start + paint(last, first)).trimEnd(),
    ...more.map((line) => " ".repeat(before) + paint(last, line)),
  ];
}

function toCell(cell: string | Cell): Cell {
  const { text, style } = typeof cell === "string" ? { text: cell, style: undefined } : cell;
  return { text: printableLine(text), style };
}

function paint({ style }: Cell, text: string): string {
  return style === undefined || text.trim() === "" ? text : style(text);
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

/** Breaks a text at blanks into lines of at most `limit` columns; a longer word is on a line of its own. */
function wrap(text: string, limit: number): string[] {
  if (stringWidth(text) <= limit) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && stringWidth(longer) > limit) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
