import { Text, type TextProps, Tooltip } from "@mantine/core";

const ABSOLUTE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
  ["month", 12],
  ["year", Infinity],
];

/** Writes how far a time is away: `5 minutes ago`. */
export function relativeTime(at: Date, now: Date = new Date()): string {
  let amount = (at.getTime() - now.getTime()) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size) return RELATIVE.format(Math.round(amount), unit);
    amount /= size;
  }
  return ABSOLUTE.format(at);
}

/** Writes a time in the reader's own time zone. */
export function absoluteTime(at: Date): string {
  return ABSOLUTE.format(at);
}

/** A time as people say it, with the exact one, in the reader's time zone, at hand. */
export function Time({ at, ...rest }: { at: string | Date | null } & TextProps) {
  if (at === null) return <Text span c="dimmed" {...rest}>never</Text>;
  const date = new Date(at);
  return (
    <Tooltip label={absoluteTime(date)}>
      <Text span tabIndex={0} {...rest}>
        <time dateTime={date.toISOString()}>{relativeTime(date)}</time>
      </Text>
    </Tooltip>
  );
}
