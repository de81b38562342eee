/** Returns what publishing a partial changes: `This edit changes 14 templates`. */
export function touchedText(count: number): string {
  if (count === 0) return "No template uses it yet";
  return `This edit changes ${count} ${count === 1 ? "template" : "templates"}`;
}
