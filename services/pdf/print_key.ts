import { createHash } from "node:crypto";
import type { PageOptions } from "@posthaste/contracts";

/** Everything the bytes of a PDF depend on. */
export interface PrintSource {
  html: string;
  page: PageOptions;
  /** Time that the PDF says it was made at. */
  madeAt: Date;
  /** What prints it: the `engine` of the browser. */
  engine: string;
}

/**
 * The content address of a PDF: SHA-256, in hex, of what it is printed from. Two sources have the
 * same key only if they give the same PDF; the order of the page options' fields is nothing.
 */
export function printKey({ html, page, madeAt, engine }: PrintSource): string {
  const hash = createHash("sha256");
  for (const part of [engine, JSON.stringify(sorted(page)), madeAt.toISOString(), html]) {
    hash.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return hash.digest("hex");
}

/** The same value with the fields of every object in the order of their names. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, field]) => [name, sorted(field)]);
}
