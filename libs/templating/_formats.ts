/** Formatters are costly to create and cheap to keep; a template uses few of them. */
const KEPT = 200;
/** The longest key: the name of a locale may have any length. */
const KEY_LENGTH = 500;
const kept = new Map<string, unknown>();

function keep<T>(key: string, make: () => T): T {
  const found = kept.get(key);
  if (found !== undefined) return found as T;
  const made = make();
  if (key.length > KEY_LENGTH) return made;
  if (kept.size >= KEPT) kept.clear();
  kept.set(key, made);
  return made;
}

export function numberFormat(
  locale: string,
  options: Intl.NumberFormatOptions = {},
): Intl.NumberFormat {
  return keep(
    `n ${locale} ${JSON.stringify(options)}`,
    () => new Intl.NumberFormat(locale, options),
  );
}

export function dateFormat(
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  return keep(
    `d ${locale} ${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(locale, options),
  );
}

export function pluralRules(locale: string): Intl.PluralRules {
  return keep(`p ${locale}`, () => new Intl.PluralRules(locale));
}
