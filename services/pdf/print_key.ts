import { createHash } from "node:crypto";
import type { PageOptions, PdfEncryption } from "@posthaste/contracts";
import type { JobInvoice } from "./print_job.ts";

/** Everything that determines the bytes of a PDF, and whose it is. */
export interface PrintSource {
  /** Whose PDF it is: accounts share none. */
  accountId: string;
  html: string;
  page: PageOptions;
  /** Attached to it. */
  invoice?: JobInvoice | undefined;
  /** What it is encrypted with. Each renderer process makes its own from a password. */
  encryption?: PdfEncryption | undefined;
  /** PDFs whose pages follow. */
  append?: readonly Buffer[] | undefined;
  /** Creation time of the PDF. */
  madeAt: Date;
  /** The `engine` of the browser. */
  engine: string;
}

/**
 * Returns the content address of a PDF: SHA-256 of its source, in hex. Two sources have the same key only if
 * they produce the same PDF. The order of the page options' fields does not matter.
 */
export function printKey(source: PrintSource): string {
  const { accountId, html, page, invoice, encryption, append = [], madeAt, engine } = source;
  const hash = createHash("sha256");
  const parts: (string | Buffer)[] = [
    accountId,
    engine,
    JSON.stringify(sorted(page)),
    madeAt.toISOString(),
    html,
  ];
  if (invoice !== undefined) parts.push(JSON.stringify(sorted(invoice)));
  if (encryption !== undefined) parts.push(JSON.stringify(sorted(encryption)));
  parts.push(...append);
  for (const part of parts) {
    hash.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return hash.digest("hex");
}

/** Returns the value with the fields of every object in the order of their names. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, field]) => [name, sorted(field)]);
}
