import { BROWSER_HEADERS } from "@posthaste/http";

/** What the headers of pages depend on. */
export interface PageHeadersOptions {
  /** Address at which people open the dashboard. */
  publicUrl: string;
}

/**
 * Headers of the application's pages. Scripts come only from its own files. Inline styles are
 * allowed: customers' HTML is shown in sandboxed frames by `srcdoc`, which inherit this policy, and
 * mails are full of inline styles; a nonce would forbid them. For the same reason images may come
 * from anywhere, as in a mail client.
 */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...BROWSER_HEADERS,
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: https: http:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

const YEAR_S = 365 * 24 * 3600;

/** Returns the headers of the application's pages. Over TLS, they include HSTS. */
export function pageHeaders({ publicUrl }: PageHeadersOptions): Readonly<Record<string, string>> {
  if (!publicUrl.startsWith("https:")) return PAGE_HEADERS;
  return { ...PAGE_HEADERS, "strict-transport-security": `max-age=${YEAR_S}` };
}
