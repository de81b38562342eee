import type { ServerResponse } from "node:http";

/** No other site may embed or read an answer, no browser may guess another type for it. */
const COMMON = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const INERT = "default-src 'none'; sandbox; frame-ancestors 'none'";
const SHOWN_IN_BROWSER = /^(application\/pdf|image\/(png|jpeg|gif|webp|avif)|text\/plain)$/;

/** Answers with JSON, or with nothing for a 204. */
export function sendJson(response: ServerResponse, status: number, body?: unknown): void {
  response.writeHead(status, {
    ...COMMON,
    "content-security-policy": INERT,
    ...body === undefined ? {} : { "content-type": "application/json; charset=utf-8" },
  });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

/** Answers with UTF-8 text; without a `policy` it can do nothing in a browser. */
export function sendText(
  response: ServerResponse,
  { body, type, policy = INERT }: { body: string | Uint8Array; type: string; policy?: string },
): void {
  response.writeHead(200, {
    ...COMMON,
    "content-type": `${type}; charset=utf-8`,
    "content-security-policy": policy,
  });
  response.end(body);
}

/** Answers with a file: PDFs, plain images and text to look at, everything else to download only. */
export function sendAttachment(response: ServerResponse, file: {
  bytes: Uint8Array;
  contentType: string;
  filename: string;
  download: boolean;
}): void {
  const shown = SHOWN_IN_BROWSER.test(file.contentType);
  const disposition = shown && !file.download ? "inline" : "attachment";
  response.writeHead(200, {
    ...COMMON,
    "content-type": shown || file.contentType === "message/rfc822"
      ? file.contentType
      : "application/octet-stream",
    "content-disposition": `${disposition}; ${filenameParameters(file.filename)}`,
    "content-length": file.bytes.byteLength,
    // Chromium's PDF viewer does not start in a sandboxed document.
    ...file.contentType === "application/pdf" ? {} : { "content-security-policy": INERT },
  });
  response.end(file.bytes);
}

/** RFC 6266: a plain name for old clients and the real one beside it. */
function filenameParameters(filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const real = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${real}`;
}
