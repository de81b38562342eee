/** Returns a text with a capital letter at its start, as a label or a sentence needs it. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
