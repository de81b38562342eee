/**
 * The limits of a template. Each is far above what real mail needs and far below what does harm: 100,000
 * placeholders take Handlebars 14 s and 2.9 GB to compile, 4,000 nested blocks 7 s.
 */
export const TEMPLATE_LIMITS = {
  /** Characters of source, by part. Outlook and Gmail cut HTML mail long before this. */
  characters: { subject: 2_000, html: 512 * 1024, text: 128 * 1024, invoice: 512 * 1024 },
  /** Placeholders, blocks, their arguments and the extra segments of their paths. */
  nodes: 5_000,
  /** Names, values and signs within placeholders, and the texts between them. */
  words: 50_000,
  /** Blocks and subexpressions inside each other. */
  depth: 50,
  /** Characters of one name, with all its steps. */
  name: 500,
  /** Different stored images. */
  images: 50,
  /**
   * What a template includes: calls in a part, calls inside each other, and characters of all partials together.
   * Those of one partial, and how many an account has: `libs/contracts/partial.ts`.
   */
  partials: { calls: 1_000, depth: 20, characters: 500_000 },
} as const;
