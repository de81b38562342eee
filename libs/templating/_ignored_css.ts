/** CSS that large mail clients ignore, and their names. */
export interface IgnoredCss {
  /** Of a declaration in lower case, without spaces around the colon: `display:grid`. */
  readonly css: RegExp;
  /** Its names in the data of caniemail, without the `css-` before them. */
  readonly features: readonly string[];
  readonly by: string;
}

const ALL = "Gmail, Outlook and Yahoo";
const OUTLOOK = "Outlook and Yahoo";
/** Outlook for Windows shows mails with Word. */
const WORD = "Outlook for Windows";

/**
 * What readers would miss: layout, colours and content. Source: https://www.caniemail.com; a test compares the
 * list with its data, and has the reasons for what is not reported. What only Outlook for Windows ignores and
 * most mails have, such as `max-width`, is not reported either.
 */
export const IGNORED_CSS: readonly IgnoredCss[] = [
  { css: /^display:(?:inline-)?grid$/, features: ["display-grid"], by: WORD },
  { css: /^grid(?:-template(?:-[a-z]+)?)?:(?!none)/, features: ["grid-template"], by: ALL },
  { css: /^display:(?:inline-)?flex$/, features: ["display-flex"], by: WORD },
  {
    css: /^position:(?:absolute|fixed|sticky)$/,
    features: ["position"],
    by: `Gmail and ${WORD}`,
  },
  { css: /^transform:(?!none)/, features: ["transform"], by: ALL },
  { css: /^filter:(?!none|progid|alpha)/, features: ["filter"], by: ALL },
  { css: /^clip-path:(?!none)/, features: ["clip-path"], by: ALL },
  { css: /^aspect-ratio:(?!auto)/, features: ["aspect-ratio"], by: ALL },
  { css: /^animation(?:-name)?:(?!none)/, features: ["animation"], by: ALL },
  { css: /^flex-direction:column/, features: ["flex-direction"], by: `Gmail, ${WORD} and Yahoo` },
  {
    css: /^(?:margin|padding)-(?:inline|block)(?:-start|-end)?:/,
    features: [
      ...["margin-block-start-end", "margin-inline-block", "margin-inline-start-end"],
      ...["padding-block-start-end", "padding-inline-block", "padding-inline-start-end"],
    ],
    by: ALL,
  },
  {
    css: /^(?:(?:min|max)-)?(?:inline|block)-size:/,
    features: [
      ...["block-inline-size", "inline-size", "min-block-size", "min-inline-size"],
      ...["max-block-size", "max-inline-size"],
    ],
    by: ALL,
  },
  { css: /^inset:/, features: ["inset"], by: ALL },
  { css: /^mask(?:-image)?:(?!none)/, features: ["mask-image"], by: ALL },
  { css: /^shape-outside:(?!none)/, features: ["shape-outside"], by: ALL },
  {
    css: /^content:(?:"(?!")|'(?!')|attr\()/,
    features: ["pseudo-element-before", "pseudo-element-after"],
    by: `Gmail, ${WORD} and Yahoo`,
  },
  {
    css: /:.*?(?:(?:ok)?(?:lch|lab)|light-dark|conic-gradient)\(/,
    features: ["modern-color", "function-light-dark", "conic-gradient"],
    by: ALL,
  },
  { css: /:.*?(?<![\w-])var\(/, features: ["variables"], by: ALL },
  {
    css: /:.*?(?:linear|radial)-gradient\(/,
    features: ["linear-gradient", "radial-gradient"],
    by: OUTLOOK,
  },
  {
    css: /:.*?(?<![\w-])(?:calc|clamp|min|max)\(/,
    features: ["unit-calc", "function-clamp", "function-min", "function-max"],
    by: OUTLOOK,
  },
  {
    css: /:.*?\d(?:rem|ch|vmin|vmax)(?![\w-])/,
    features: ["unit-rem", "unit-ch", "unit-vmin", "unit-vmax"],
    by: `${WORD} and Yahoo`,
  },
  { css: /:(?:fit|min|max)-content$/, features: ["intrinsic-size"], by: `${WORD} and Yahoo` },
  { css: /^gap:/, features: ["gap"], by: `${WORD} and Yahoo` },
  {
    css: /^object-(?:fit|position):/,
    features: ["object-fit", "object-position"],
    by: `${WORD} and Yahoo`,
  },
  {
    css: /^(?:columns|column-count):(?!auto)/,
    features: ["column-count"],
    by: `${WORD} and Yahoo`,
  },
  {
    css: /^writing-mode:(?!horizontal)/,
    features: ["writing-mode"],
    by: `${WORD} and Yahoo`,
  },
];
