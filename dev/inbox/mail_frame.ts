import type { Attachment } from "postal-mime";
import { bytesOf, type OpenedMail } from "./read_mail.ts";

/** The policy for a mail's HTML in a browser: styles and its own images only. No scripts, no network. */
export const FRAME_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "font-src data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-popups allow-popups-to-escape-sandbox",
].join("; ");

/**
 * Returns the document for the sandboxed frame: the mail's HTML, its `cid:` images written into it (RFC
 * 2392), links opening in a new tab. It is safe under {@linkcode FRAME_POLICY} only.
 */
export function mailFrame({ html, parts }: Pick<OpenedMail, "html" | "parts">): string {
  const images = new Map(parts.flatMap((part) => imageEntry(part)));
  const body = (html ?? "").replaceAll(/\bcid:([^"'\s)>]+)/gi, (whole, id: string) => {
    return images.get(decodeId(id)) ?? whole;
  });
  return withBase(body);
}

function imageEntry(part: Attachment): [string, string][] {
  // SVG too: as an image it runs no scripts.
  if (!part.contentId || !/^image\/[a-z0-9.+-]+$/.test(part.mimeType)) return [];
  const data = Buffer.from(bytesOf(part)).toString("base64");
  return [[part.contentId.replace(/^<|>$/g, ""), `data:${part.mimeType};base64,${data}`]];
}

function decodeId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Before the doctype it would switch the page to quirks mode, so it goes into the head if there is one. */
function withBase(html: string): string {
  const base = `<base target="_blank">`;
  const head = /<head(\s[^>]*)?>/i.exec(html);
  if (!head) return base + html;
  const at = head.index + head[0].length;
  return html.slice(0, at) + base + html.slice(at);
}
