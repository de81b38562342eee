import { createHash } from "node:crypto";
import type { DraftSource, TemplateKind } from "@posthaste/contracts";

/** Returns SHA-256, in hex, of all that makes a version of a source: the sample does not. */
export function contentHash(kind: TemplateKind, source: DraftSource): string {
  const { subject, html, text, filename, variables, locale, page } = source;
  const content = [kind, subject, html, text, filename, variables, locale, page];
  return createHash("sha256").update(JSON.stringify(sorted(content))).digest("hex");
}

/** The same value with the fields of every object in the order of their names. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => a < b ? -1 : 1)
      .map(([name, field]) => [name, sorted(field)]),
  );
}
