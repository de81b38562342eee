import type { TemplateKind } from "@posthaste/contracts";

/** The colour scheme that the reader's mail client requests. */
export type MailScheme = "light" | "dark";

const DARK = /prefers-color-scheme\s*:\s*dark/gi;
const LIGHT = /prefers-color-scheme\s*:\s*light/gi;
const ALWAYS = "min-width: 0px";
const NEVER = "max-width: 0px";

/** Returns whether a mail has its own colours for dark mail clients. */
export function hasDarkStyles(html: string): boolean {
  return /prefers-color-scheme\s*:\s*dark/i.test(html);
}

/**
 * A mail as it is put into the sandboxed frame: it meets the scheme that is asked for, whatever the
 * browser's own is, and its links lead out of the frame, where the sandbox stops them. A mail without
 * dark styles is inverted for the dark scheme, as some mail clients do.
 */
export function framedHtml(html: string, scheme: MailScheme): string {
  const isDark = scheme === "dark";
  const asked = html.replace(DARK, isDark ? ALWAYS : NEVER).replace(LIGHT, isDark ? NEVER : ALWAYS);
  const head = [
    '<base target="_blank">',
    `<style>:root{color-scheme:${isDark && hasDarkStyles(html) ? "dark" : "light"} !important}`,
    isDark && !hasDarkStyles(html) ? INVERTED : "",
    "[data-posthaste-changed]{scroll-initial-target:nearest;scroll-margin:96px}</style>",
  ].join("");
  return insertIntoHead(asked, head);
}

/**
 * A mail, or the pages of a PDF, as a list shows it: from its top, with nothing that is loaded from elsewhere. A list
 * must not tell other servers that somebody looks at it.
 */
export function thumbnailHtml(html: string, kind: TemplateKind): string {
  const head = [
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; ' +
    "font-src data:; style-src 'unsafe-inline'\">",
    "<style>html{color-scheme:light !important;overflow:hidden !important",
    // The margins of the page.
    kind === "pdf" ? ";padding:64px 60px;box-sizing:border-box" : "",
    "}</style>",
  ].join("");
  return insertAtStart(html.replace(DARK, NEVER).replace(LIGHT, ALWAYS), head);
}

const INVERTED = "html{background:#fff;filter:invert(1) hue-rotate(180deg)}" +
  "img,video,[background],[style*='url(']{filter:invert(1) hue-rotate(180deg)}";

/** Before anything that an author can write: a comment or an attribute may contain what looks like a head. */
function insertAtStart(html: string, piece: string): string {
  const [doctype = ""] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return doctype + piece + html.slice(doctype.length);
}

/** Without a doctype at its beginning, a page would be laid out in quirks mode. */
function insertIntoHead(html: string, piece: string): string {
  const place = /<head(?:\s[^>]*)?>/i.exec(html) ?? /<html(?:\s[^>]*)?>/i.exec(html) ??
    /<!doctype[^>]*>/i.exec(html);
  const end = place === null ? 0 : place.index + place[0].length;
  return html.slice(0, end) + piece + html.slice(end);
}
