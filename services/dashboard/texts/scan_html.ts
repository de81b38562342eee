import { QuoteType, Tokenizer } from "htmlparser2";

/** An attribute: its value is from `start` to `end`, without quotes. */
export interface ScannedAttribute {
  /** In lower case. */
  name: string;
  start: number;
  end: number;
  quote: '"' | "'" | "";
}

/** A piece of HTML or MJML, with its place. */
export type HtmlPiece =
  | { type: "text"; start: number; end: number }
  /** A character reference, and what it means. */
  | { type: "reference"; start: number; end: number; text: string }
  | {
    type: "open";
    /** In lower case. */
    name: string;
    start: number;
    end: number;
    attributes: ScannedAttribute[];
  }
  | { type: "close"; name: string; start: number; end: number }
  /** A comment, a doctype and the like. */
  | { type: "other"; start: number; end: number };

/** Returns the pieces of HTML or MJML, in order, in time proportional to its length. */
export function scanHtml(html: string): HtmlPiece[] {
  const pieces: HtmlPiece[] = [];
  let position = 0;
  let open: HtmlPiece & { type: "open" } | undefined;
  let attribute: ScannedAttribute | undefined;
  const add = (piece: HtmlPiece) => {
    pieces.push(piece);
    position = piece.end;
  };
  const other = (_start: number, end: number) =>
    add({ type: "other", start: position, end: Math.min(end + 1, html.length) });
  const endTag = (end: number) => {
    if (open !== undefined) add({ ...open, end: end + 1 });
    open = undefined;
  };
  const tokenizer = new Tokenizer({ decodeEntities: true, xmlMode: false }, {
    ontext: (start, end) => add({ type: "text", start, end }),
    ontextentity(code, end) {
      const text = String.fromCodePoint(code);
      const last = pieces.at(-1);
      // One reference may mean two characters.
      if (last?.type === "reference" && last.end === end) last.text += text;
      else add({ type: "reference", start: position, end, text });
    },
    onopentagname(start, end) {
      const name = html.slice(start, end).toLowerCase();
      open = { type: "open", name, start: start - 1, end, attributes: [] };
    },
    onattribname(start, end) {
      attribute = { name: html.slice(start, end).toLowerCase(), start: end, end, quote: "" };
    },
    onattribdata() {},
    onattribentity() {},
    onattribend(quote, end) {
      if (attribute === undefined) return;
      open?.attributes.push(
        quote === QuoteType.NoValue ? attribute : {
          name: attribute.name,
          start: valueStart(html, attribute.end),
          end: quote === QuoteType.Unquoted ? end : end - 1,
          quote: quote === QuoteType.Double ? '"' : quote === QuoteType.Single ? "'" : "",
        },
      );
      attribute = undefined;
    },
    onopentagend: endTag,
    onselfclosingtag: endTag,
    onclosetag(start, end) {
      const close = html.indexOf(">", end);
      const name = html.slice(start, end).toLowerCase();
      const whole = close === -1 ? html.length : close + 1;
      add({ type: "close", name, start: html.lastIndexOf("<", start), end: whole });
    },
    oncomment: other,
    oncdata: other,
    ondeclaration: other,
    onprocessinginstruction: other,
    onend() {},
  });
  tokenizer.write(html);
  tokenizer.end();
  return pieces;
}

const BEFORE_VALUE = /\s*=\s*["']?/y;

function valueStart(html: string, nameEnd: number): number {
  BEFORE_VALUE.lastIndex = nameEnd;
  return nameEnd + (BEFORE_VALUE.exec(html)?.[0].length ?? 0);
}
