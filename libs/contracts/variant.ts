import { z } from "zod";
import type { EmailVersion, PdfVersion } from "./documents.ts";
import { canonicalLocale, localeChain } from "./locale.ts";
import type { BodySource, DraftSource } from "./template_draft.ts";
import { utf8Bytes } from "./_utf8_bytes.ts";

/** The most language variants of a template, besides its own body. */
export const MAX_VARIANTS = 50;

/** The largest size of all variants of a template together, as written and once more as compiled: bytes of JSON. */
export const MAX_VARIANT_BYTES = 4_000_000;

/** The languages of a template: that of its own body, and its variants by their tags. */
export interface Languages {
  locale: string;
  variants?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the tag of the variant that serves a language best: for `de-AT` that of `de-AT`, else of `de`. Returns
 * null for the template's own body: if that serves best, if nothing fits, or if no language is wanted.
 */
export function variantFor(
  { locale, variants }: Languages,
  wanted: string | undefined,
): string | null {
  if (wanted === undefined || variants === undefined) return null;
  const own = canonicalLocale(locale);
  for (const tag of localeChain(wanted)) {
    if (tag === own) return null;
    if (Object.hasOwn(variants, tag)) return tag;
  }
  return null;
}

/**
 * Returns a version with the one body that serves a language best: its parts, its language, what it reads, and the
 * files that it shows. Its `_id` differs for each body, because compiled templates are cached under it.
 */
export function inLocale<Version extends EmailVersion | PdfVersion>(
  version: Version,
  wanted: string | undefined,
): Version {
  if (version.variants === undefined) return version;
  const { variants, ...own } = version;
  const tag = variantFor(version, wanted);
  const body = tag === null ? undefined : variants[tag];
  const chosen = body === undefined || tag === null
    ? own
    : { ...own, ...body, reads: body.reads, _id: `${own._id}@${tag}`, locale: tag };
  const { assets, shows } = chosen;
  const shown = shows === undefined ? assets : assets?.filter(({ name }) => shows.includes(name));
  return { ...chosen, assets: shown?.length === 0 ? undefined : shown } as Version;
}

/** Returns a source with the one body that serves a language best. */
export function sourceInLocale(source: DraftSource, wanted: string | undefined): DraftSource {
  const { variants, ...own } = source;
  const tag = variantFor(source, wanted);
  const body = tag === null ? undefined : variants?.[tag];
  if (tag === null || body === undefined) return own;
  const { invoice: _invoice, ...rest } = own;
  return { ...rest, ...body, locale: tag };
}

/** Returns all bodies of a source with their tags: null for its own body, which comes first. */
export function bodiesOf(source: DraftSource): { tag: string | null; body: BodySource }[] {
  const variants = Object.entries(source.variants ?? {});
  return [{ tag: null, body: source }, ...variants.map(([tag, body]) => ({ tag, body }))];
}

/** Returns which of the wanted languages none of the languages of a template serves, each once. */
export function missingLanguages(own: readonly string[], wanted: Iterable<string>): string[] {
  const served = new Set(own.flatMap((tag) => canonicalLocale(tag) ?? []));
  // Who has en-US has en, too.
  const fallbacks = new Set(own.flatMap(localeChain));
  return [...new Set(wanted)].filter((tag) =>
    !fallbacks.has(tag) && !localeChain(tag).some((one) => served.has(one))
  ).sort();
}

/** Makes the schema of variants as an author gives them: their tags become canonical. */
export function variantsSchema<Body extends z.ZodType>(body: Body) {
  return z.record(z.string(), body).superRefine((variants, context) => {
    const tags = Object.keys(variants);
    if (tags.length > MAX_VARIANTS) {
      const message = `must not have more than ${MAX_VARIANTS} languages`;
      context.addIssue({ code: "custom", path: [], message });
    }
    const seen = new Set<string>();
    for (const tag of tags) {
      const canonical = canonicalLocale(tag);
      const message = canonical === undefined || canonical !== localeChain(canonical)[0]
        ? "must be a language tag such as de or pt-BR, without extensions"
        : seen.has(canonical)
        ? `is "${canonical}" again`
        : undefined;
      if (message !== undefined) context.addIssue({ code: "custom", path: [tag], message });
      seen.add(canonical ?? tag);
    }
  }).transform((variants) =>
    Object.fromEntries(
      Object.entries(variants).map(([tag, body]) => [canonicalLocale(tag) ?? tag, body]),
    )
  );
}

/** Returns why the variants of a source cannot be its variants, apart from their tags; `undefined` if they can. */
export function variantFault({ locale, variants }: Languages): string | undefined {
  if (variants === undefined) return undefined;
  const own = canonicalLocale(locale);
  if (own !== undefined && Object.hasOwn(variants, own)) {
    return `must not have "${own}": it is the language of the template's own body`;
  }
  const bytes = utf8Bytes(JSON.stringify(variants));
  if (bytes <= MAX_VARIANT_BYTES) return undefined;
  return `must not exceed ${MAX_VARIANT_BYTES / 1_000_000} MB together`;
}
