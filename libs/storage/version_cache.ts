import type { EmailVersion, PdfVersion, TemplateKind } from "@posthaste/contracts";
import { LRUCache } from "lru-cache";
import type { TemplateStore, VersionOf } from "./template_store.ts";

const MAX_POINTERS = 10_000;

/** The size of the cache, and how long its entries are valid. */
export interface VersionCacheOptions {
  /**
   * How long the newest version, or the absence of one, stays cached, in milliseconds.
   * @default {1000}
   */
  pointerTtlMs?: number | undefined;
  /** The most versions to keep. @default {1000} */
  max?: number | undefined;
}

/** Published versions, mostly from memory. Concurrent requests for one version share one look-up. */
export interface VersionCache {
  /** Returns the newest version of an email template. */
  latestEmailVersion(accountId: string, idOrAlias: string | number): Promise<EmailVersion | null>;
  /** Returns the newest version of a PDF template. */
  latestPdfVersion(accountId: string, idOrAlias: string | number): Promise<PdfVersion | null>;
  /** Returns a version of an email template. */
  emailVersion(accountId: string, id: number, version: number): Promise<EmailVersion | null>;
  /** Returns a version of a PDF template. */
  pdfVersion(accountId: string, id: number, version: number): Promise<PdfVersion | null>;
}

interface VersionKey {
  accountId: string;
  kind: TemplateKind;
  id: number;
  version: number;
}

interface PointerKey {
  accountId: string;
  kind: TemplateKind;
  idOrAlias: string | number;
}

/**
 * Opens a cache of published versions. They never change and stay until the cache is full. Only the number of
 * the newest version is looked up again after `pointerTtlMs`.
 */
export function openVersionCache(
  templates: Pick<TemplateStore, "find" | "findVersion">,
  { pointerTtlMs = 1000, max = 1000 }: VersionCacheOptions = {},
): VersionCache {
  const versions = new LRUCache<string, { found: EmailVersion | PdfVersion | null }, VersionKey>({
    max,
    // An entry that is evicted during its look-up is still the answer to those who wait.
    ignoreFetchAbort: true,
    async fetchMethod(_key, _stale, { context, options }) {
      const { accountId, kind, id, version } = context;
      const found = await templates.findVersion(accountId, kind, id, version);
      if (found !== null) dropSources(found);
      options.ttl = found === null ? pointerTtlMs : 0;
      return { found };
    },
  });
  const pointers = new LRUCache<string, { found: VersionKey | null }, PointerKey>({
    max: MAX_POINTERS,
    ignoreFetchAbort: true,
    ttl: pointerTtlMs,
    async fetchMethod(_key, _stale, { context: { accountId, kind, idOrAlias } }) {
      const template = await templates.find(accountId, kind, idOrAlias);
      const version = template?.publishedVersion ?? null;
      if (template === null || version === null) return { found: null };
      return { found: { accountId, kind, id: template.id, version } };
    },
  });

  async function versionOf<K extends TemplateKind>(
    context: VersionKey & { kind: K },
  ): Promise<VersionOf<K> | null> {
    const { accountId, kind, id, version } = context;
    const entry = await versions.forceFetch(`${accountId}/${kind}/${id}/${version}`, { context });
    return entry.found as VersionOf<K> | null;
  }

  async function latestOf<K extends TemplateKind>(
    context: PointerKey & { kind: K },
  ): Promise<VersionOf<K> | null> {
    const { accountId, kind, idOrAlias } = context;
    const { found } = await pointers.forceFetch(`${accountId}/${kind}/${idOrAlias}`, { context });
    return found === null ? null : versionOf({ ...found, kind });
  }

  return {
    latestEmailVersion: (accountId, idOrAlias) => latestOf({ accountId, kind: "email", idOrAlias }),
    latestPdfVersion: (accountId, idOrAlias) => latestOf({ accountId, kind: "pdf", idOrAlias }),
    emailVersion: (accountId, id, version) => versionOf({ accountId, kind: "email", id, version }),
    pdfVersion: (accountId, id, version) => versionOf({ accountId, kind: "pdf", id, version }),
  };
}

/** Drops partials and sources of variants: they are in the parts already, and may be as large as these. */
function dropSources(version: EmailVersion | PdfVersion): void {
  delete version.includes;
  for (const variant of Object.values(version.variants ?? {})) variant.source = EMPTY;
}

const EMPTY = { subject: "", html: "" };
