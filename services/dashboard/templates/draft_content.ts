import { hash } from "node:crypto";
import type { DraftSource, Pinned, PinnedAsset, TemplateKind } from "@posthaste/contracts";

interface Pins {
  assets?: readonly PinnedAsset[] | undefined;
  includes?: readonly Pinned[] | undefined;
}

/**
 * Returns the SHA-256, in hex, of what makes a version: parts of the source, not its sample, the stored images
 * that it shows, and what it includes.
 */
export function contentHash(
  kind: TemplateKind,
  source: DraftSource,
  { assets = [], includes = [] }: Pins = {},
): string {
  const { subject, html, text, filename, invoice, variants, variables, locale, page } = source;
  const shown = assets.map(({ name, sha256, url = "" }) => [name, sha256, url]);
  const pinned = includes.map(({ name, source }) => [name, source]);
  const content = [
    ...[kind, subject, html, text, filename, variables, locale, page],
    // A source without images, invoice, partials or variants has the hash that it always had.
    ...(shown.length === 0 ? [] : [shown]),
    ...(invoice === undefined ? [] : [{ invoice }]),
    ...(pinned.length === 0 ? [] : [{ pinned }]),
    ...(variants === undefined ? [] : [{ variants }]),
  ];
  return hash("sha256", JSON.stringify(sorted(content)), "hex");
}

/** Returns the same value with the fields of every object sorted by name. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => a < b ? -1 : 1)
      .map(([name, field]) => [name, sorted(field)]),
  );
}
