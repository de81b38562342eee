/** The choices of when something ends. */
export const EXPIRIES = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a date" },
  { value: "never", label: "Never" },
];

const DAY_MS = 24 * 3600_000;

/**
 * Returns the chosen time, as ISO 8601; null for never. A date includes its whole day, in the
 * person's time zone.
 */
export function expiryOf(choice: string, date: string, now: Date = new Date()): string | null {
  if (choice === "never") return null;
  if (choice === "date") return new Date(`${date}T23:59:59`).toISOString();
  return new Date(now.getTime() + Number(choice) * DAY_MS).toISOString();
}
