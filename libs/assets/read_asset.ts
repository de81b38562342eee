import { imageFormat } from "@posthaste/fetching";
import { checkFont, fontType, isFontType } from "./_read_font.ts";
import { AssetFault } from "./asset_fault.ts";
import { safeSvg } from "./_safe_svg.ts";

/** A file that may be stored. */
export interface ReadAsset {
  /** Of an SVG image: without everything that could run or load something. */
  bytes: Buffer;
  contentType: string;
  /** Of an image, in pixels; 0 if it has no size of its own, undefined for other files. */
  width?: number | undefined;
  height?: number | undefined;
}

/** Images with more pixels than this exhaust the programs that show them. */
const MAX_PIXELS = 50_000_000;
/** An SVG image is parsed as a whole. */
const MAX_SVG_BYTES = 1_000_000;
const SVG_TYPE = "image/svg+xml";

/**
 * Reads a file for storing: recognises PNG, JPEG, GIF, WebP and SVG images and TrueType, OpenType and WOFF2 fonts
 * by their bytes, compares them with the type that the sender says, makes SVG images safe, and checks fonts.
 *
 * @param contentType Media type as the sender says; `application/octet-stream` if unknown.
 * @throws {AssetFault} If the type and the bytes differ, or the image or font is too large or malformed.
 */
export function readAsset(body: Buffer, contentType: string): ReadAsset {
  if (body.length === 0) throw new AssetFault("The file is empty");
  const declared = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const font = fontType(body);
  if (font !== undefined || declared.startsWith("font/")) {
    return readFont(body, { declared, found: font });
  }
  if (declared === SVG_TYPE || (isUnknown(declared) && looksLikeSvg(body))) return readSvg(body);
  const format = imageFormat(body);
  const found = format === undefined ? typeOfOther(body) : format.type;
  if (found === undefined) {
    if (!declared.startsWith("image/")) return { bytes: body, contentType };
    throw new AssetFault(
      `The file is not an image that mail clients show, although its type is "${declared}"`,
    );
  }
  if (declared !== found && !isUnknown(declared)) {
    throw new AssetFault(
      `The file is of type "${found}", not "${declared}". Send it with its own type`,
    );
  }
  if (format === undefined || format.type === SVG_TYPE) return { bytes: body, contentType: found };
  const { width, height } = format;
  if (width < 1 || height < 1 || width * height > MAX_PIXELS) {
    throw new AssetFault(
      `The image has ${width} × ${height} pixels. The maximum is 50 million`,
    );
  }
  return { bytes: body, contentType: found, width, height };
}

function readFont(
  body: Buffer,
  { declared, found }: { declared: string; found: string | undefined },
): ReadAsset {
  if (found === undefined) {
    const error =
      `The file is not a TrueType, OpenType or WOFF2 font, although its type is "${declared}"`;
    throw new AssetFault(error);
  }
  if (!isUnknown(declared) && !isFontType(declared, found)) {
    const error = `The file is of type "${found}", not "${declared}". Send it with its own type`;
    throw new AssetFault(error);
  }
  checkFont(body, found);
  return { bytes: body, contentType: found };
}

function isUnknown(type: string): boolean {
  return type === "application/octet-stream" || type === "";
}

/** Recognises other files that must not be stored under a wrong type: PDFs and web pages. */
function typeOfOther(body: Buffer): string | undefined {
  if (body.toString("latin1", 0, 5) === "%PDF-") return "application/pdf";
  const head = body.toString("utf8", 0, 1_000).trimStart().toLowerCase();
  return isWebPage(head) ? "text/html" : undefined;
}

function isWebPage(head: string): boolean {
  return /^(?:<!doctype html|<html)[\s>]/.test(head);
}

function looksLikeSvg(body: Buffer): boolean {
  const head = body.toString("utf8", 0, 10_000).trimStart().toLowerCase();
  return head.startsWith("<") && head.includes("<svg") && !isWebPage(head);
}

function readSvg(body: Buffer): ReadAsset {
  if (body.length > MAX_SVG_BYTES) {
    throw new AssetFault(`The SVG image exceeds ${MAX_SVG_BYTES / 1_000_000} MB. Make it smaller`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw new AssetFault("The SVG image is not UTF-8. Save it as UTF-8");
  }
  const safe = safeSvg(text);
  if (safe === undefined) throw new AssetFault("The file is not an SVG image: it has no <svg>");
  const { svg, width, height } = safe;
  return { bytes: Buffer.from(svg), contentType: SVG_TYPE, width, height };
}
