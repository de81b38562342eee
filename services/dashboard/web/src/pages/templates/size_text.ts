/** The part of a mail that Gmail shows before it hides the rest behind a link, in bytes. */
export const GMAIL_LIMIT = 102 * 1024;

/** Formats a size: `3.4 KB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [amount, unit] = bytes < 1024 ** 2 ? [bytes / 1024, "KB"] : [bytes / 1024 ** 2, "MB"];
  return `${amount.toFixed(amount < 100 ? 1 : 0)} ${unit}`;
}
