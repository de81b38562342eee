import { readSignedNumber, SIGNS } from "./mark_signs.ts";
import { type HtmlPiece, scanHtml } from "./scan_html.ts";

/** The host of links that stand for texts and images. It does not exist (RFC 2606). */
export const MARK_HOST = "posthaste.invalid";

/** A link looks like what it is around, whatever the styles of the page. */
const UNSET = ' style="all:unset"';
const TEXT = new RegExp(
  `([${SIGNS.text}${SIGNS.partial}])([\\ufdd0-\\ufdd9]+)${SIGNS.body}|${SIGNS.textEnd}`,
  "g",
);
const IMAGE = new RegExp(`${SIGNS.image}([\\ufdd0-\\ufdd9]+)${SIGNS.body}`);
const OTHERS = new RegExp(
  `[${SIGNS.value}${SIGNS.image}][\\ufdd0-\\ufdd9]+${SIGNS.body}|${SIGNS.valueEnd}`,
  "g",
);

/**
 * Returns the HTML of a document with a link around each marked text and image: a printer keeps the places of
 * links in its PDF. Links of the document itself lead there, too, as links cannot be inside of others. A link
 * counts the texts and images before it, as one in a loop occurs several times: `text/<number>/<count>`.
 */
export function linkMarks(html: string): string {
  const chunks: string[] = [];
  let current: string | undefined;
  let count = 0;
  /** Where the start tag of an open link is in `chunks`. */
  let link: number | undefined;
  const open = () => {
    if (current === undefined) return;
    if (link === undefined) chunks.push(startTag(current));
    else chunks[link] = startTag(current, chunks[link]);
  };
  const close = () => {
    if (current !== undefined && link === undefined) chunks.push("</a>");
  };
  const text = (written: string) => {
    let from = 0;
    for (const { 0: mark, 1: sign, 2: number, index } of written.matchAll(TEXT)) {
      chunks.push(written.slice(from, index));
      close();
      const type = sign === SIGNS.text ? "text" : "partial";
      current = number === undefined ? undefined : `${type}/${readSignedNumber(number)}/${count++}`;
      open();
      from = index + mark.length;
    }
    chunks.push(written.slice(from));
  };
  const element = (piece: HtmlPiece & { type: "open" | "close" }, written: string) => {
    if (piece.name === "a") {
      close();
      link = undefined;
      chunks.push(written);
      if (piece.type === "open") link = chunks.length - 1;
      open();
      return;
    }
    const [, number] = piece.name === "img" ? IMAGE.exec(written) ?? [] : [];
    if (number === undefined) return chunks.push(written);
    const target = `image/${readSignedNumber(number)}/${count++}`;
    if (link !== undefined) chunks[link] = startTag(target, chunks[link]);
    chunks.push(link === undefined ? `${startTag(target)}${written}</a>` : written);
  };
  let position = 0;
  for (const piece of scanHtml(html)) {
    text(html.slice(position, piece.start));
    const written = html.slice(piece.start, piece.end);
    if (piece.type === "open" || piece.type === "close") element(piece, written);
    else text(written);
    position = piece.end;
  }
  text(html.slice(position));
  return chunks.join("").replace(OTHERS, "");
}

function startTag(target: string, own?: string): string {
  const href = ` href="https://${MARK_HOST}/${target}"`;
  // Of two attributes with the same name, the first counts.
  return own === undefined ? `<a${href}${UNSET}>` : own.replace(/^<a/i, `<a${href}`);
}
