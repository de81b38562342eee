import { Text, type TextProps, Tooltip } from "@mantine/core";

const ABSOLUTE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const NARROW = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
  ["month", 12],
  ["year", Infinity],
];

/** Formats the distance to a time: `5 minutes ago`, or `5min ago` in narrow places. */
export function relativeTime(at: Date, isNarrow = false): string {
  let amount = (at.getTime() - Date.now()) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size) {
      return (isNarrow ? NARROW : RELATIVE).format(Math.round(amount), unit);
    }
    amount /= size;
  }
  return ABSOLUTE.format(at);
}

/** Writes a time in the reader's own time zone, which it names. */
export function absoluteTime(at: Date): string {
  return ABSOLUTE.format(at);
}

/** A relative time, with the exact one in the reader's time zone as a tooltip. */
export function Time({ at, isNarrow = false, ...rest }: {
  at: string | Date | null;
  /** Whether there is little room. */
  isNarrow?: boolean;
} & TextProps) {
  if (at === null) return <Text span c="dimmed" {...rest}>never</Text>;
  const date = new Date(at);
  return (
    <Tooltip label={absoluteTime(date)}>
      <Text span tabIndex={0} style={{ whiteSpace: "nowrap" }} {...rest}>
        <time dateTime={date.toISOString()}>{relativeTime(date, isNarrow)}</time>
      </Text>
    </Tooltip>
  );
}
