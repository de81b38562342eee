import { Badge, Box } from "@mantine/core";
import type { IconType } from "react-icons";

/** Shows a state by a word, a colour, and a sign or a dot: the word carries the meaning. */
export function StatePill({ label, color, icon: Sign, size = "md" }: {
  label: string;
  /** A colour of the theme. */
  color: string;
  /** @default {a dot} */
  icon?: IconType;
  size?: "md" | "lg";
}) {
  return (
    <Badge
      variant="light"
      color={color}
      size={size}
      tt="none"
      fw={600}
      miw="max-content"
      style={{ flexShrink: 0, verticalAlign: "middle" }}
      leftSection={Sign === undefined
        ? <Box w={7} h={7} bg={`${color}.6`} style={{ borderRadius: "50%" }} />
        : <Sign size={13} aria-hidden />}
      styles={{ label: { color: "var(--mantine-color-text)" } }}
    >
      {label}
    </Badge>
  );
}
