/** The part of a mail that Gmail shows before it hides the rest behind a link, in bytes. */
export const GMAIL_LIMIT = 102_000;

/** Formats a size: `3.4 KB`, in steps of 1,000 like the settings of limits. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [amount, unit] = bytes < 1_000_000 ? [bytes / 1000, "KB"] : [bytes / 1_000_000, "MB"];
  return `${amount.toFixed(amount < 100 ? 1 : 0)} ${unit}`;
}
