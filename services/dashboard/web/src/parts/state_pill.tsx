import { Badge, Box } from "@mantine/core";
import type { IconType } from "react-icons";

/** How a state is shown: the word carries the meaning, the colour only helps. */
export interface StateLook {
  label: string;
  /** A colour of the theme. */
  color: string;
  /** @default {a dot} */
  icon?: IconType;
}

/** How a state with a sign is shown. */
export type SignedLook = Required<StateLook>;

/** Shows a state by a word, a colour, and a sign or a dot. */
export function StatePill({ label, color, icon: Sign }: StateLook) {
  return (
    <Badge
      variant="light"
      color={color}
      size="md"
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
