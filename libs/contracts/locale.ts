import { z } from "zod";
import { faultParams } from "./issue_code.ts";

const MAX_LENGTH = 100;

/** Schema of a language tag by BCP 47, in any case: `de`, `pt-BR`, `zh-Hant-TW`. */
export const localeSchema = z.string()
  .max(MAX_LENGTH, { error: `must not exceed ${MAX_LENGTH} characters`, abort: true })
  .refine(
    (tag) => canonicalLocale(tag) !== undefined,
    faultParams("wrong_type", 'must be a language tag such as "de" or "pt-BR"'),
  );

/** Query of a request to render: the wanted language. */
export const LOCALE_QUERY = z.object({
  locale: localeSchema.optional().describe(
    "The wanted language, as a BCP 47 tag; by default that of the account",
  ),
});

/** Returns a language tag in its canonical form: `PT-br` becomes `pt-BR`; `undefined` if it is none. */
export function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/**
 * Returns the tags that serve a language, best first: `de-Latn-AT`, `de-Latn`, `de-AT`, `de`. The likely script
 * comes before the language alone, so that `zh-TW` finds `zh-Hant` before `zh`. Extensions (`-u-…`) choose no text
 * and are left out. As in RFC 4647, section 3.4, nothing else is tried: the rest is the default.
 */
export function localeChain(tag: string): readonly string[] {
  const known = CHAINS.get(tag);
  if (known !== undefined) return known;
  const chain = makeChain(tag);
  if (CHAINS.size >= MAX_CHAINS) CHAINS.clear();
  CHAINS.set(tag, chain);
  return chain;
}

/** Each takes some microseconds, and every message needs one. */
const CHAINS = new Map<string, readonly string[]>();
const MAX_CHAINS = 1000;

function makeChain(tag: string): string[] {
  const canonical = canonicalLocale(tag);
  if (canonical === undefined) return [];
  const locale = new Intl.Locale(canonical);
  const { baseName, language, script, region } = locale;
  const chain = [
    baseName,
    join(language, script, region),
    join(language, script ?? locale.maximize().script),
    join(language, region),
    language,
  ];
  return [...new Set(chain)];
}

function join(...subtags: (string | undefined)[]): string {
  return subtags.filter((subtag) => subtag !== undefined).join("-");
}
