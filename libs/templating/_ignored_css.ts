/** CSS that large mail clients ignore, and their names. */
export interface IgnoredCss {
  /** Of a declaration in lower case, without spaces around the colon: `display:grid`. */
  readonly css: RegExp;
  readonly by: string;
}

const ALL = "Gmail, Outlook and Yahoo";
const OUTLOOK = "Outlook and Yahoo";
/** Outlook for Windows shows mails with Word. */
const WORD = "Outlook for Windows";

/**
 * What readers would miss: layout, colours and content. Source: https://www.caniemail.com (its data of September
 * 2025, and of June 2026 for the first eight). Harmless cases, such as shadows and rounded corners, are not
 * included, nor are those that only Outlook for Windows ignores and most mails have, such as `max-width`.
 */
export const IGNORED_CSS: readonly IgnoredCss[] = [
  { css: /^display:(?:inline-)?grid$/, by: `Gmail, ${WORD} and Yahoo` },
  { css: /^display:(?:inline-)?flex$/, by: WORD },
  { css: /^position:(?:absolute|fixed|sticky)$/, by: `Gmail and ${WORD}` },
  { css: /^transform:(?!none)/, by: ALL },
  { css: /^filter:(?!none|progid|alpha)/, by: ALL },
  { css: /^clip-path:(?!none)/, by: ALL },
  { css: /^aspect-ratio:(?!auto)/, by: ALL },
  { css: /^animation(?:-name)?:(?!none)/, by: ALL },
  { css: /^flex-direction:column/, by: `Gmail, ${WORD} and Yahoo` },
  { css: /^(?:margin|padding)-(?:inline|block)(?:-start|-end)?:/, by: ALL },
  { css: /^(?:(?:min|max)-)?(?:inline|block)-size:/, by: ALL },
  { css: /^inset:/, by: ALL },
  { css: /^mask(?:-image)?:(?!none)/, by: ALL },
  { css: /^shape-outside:(?!none)/, by: ALL },
  { css: /^content:(?:"(?!")|'(?!')|attr\()/, by: ALL },
  { css: /:.*?(?:(?:ok)?(?:lch|lab)|light-dark|conic-gradient)\(/, by: ALL },
  { css: /:.*?(?:linear|radial)-gradient\(/, by: OUTLOOK },
  { css: /:.*?(?<![\w-])(?:calc|clamp|min|max)\(/, by: OUTLOOK },
  { css: /:.*?\d(?:rem|vmin|vmax)(?![\w-])/, by: `${WORD} and Yahoo` },
  { css: /^gap:/, by: `${WORD} and Yahoo` },
  { css: /^object-(?:fit|position):/, by: `${WORD} and Yahoo` },
  { css: /^(?:columns|column-count):(?!auto)/, by: `${WORD} and Yahoo` },
  { css: /^writing-mode:(?!horizontal)/, by: `${WORD} and Yahoo` },
];
