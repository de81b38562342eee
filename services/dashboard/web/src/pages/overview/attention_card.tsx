import { Anchor, Card, Group, Stack, Text, ThemeIcon } from "@mantine/core";
import { TbAlertTriangle, TbCircleCheck, TbInfoCircle, TbX } from "react-icons/tb";
import { Link } from "wouter";
import type { AttentionView } from "../../../../interface/overview.ts";
import { SectionTitle } from "../../parts/section_title.tsx";

const LOOK = {
  error: { color: "red", icon: TbX, word: "Problem" },
  warning: { color: "yellow", icon: TbAlertTriangle, word: "Warning" },
  info: { color: "blue", icon: TbInfoCircle, word: "Note" },
} as const;

/** Lists what needs a person's attention. */
export function AttentionCard({ items }: { items: AttentionView[] }) {
  return (
    <Card withBorder component="section" aria-label="Needs attention">
      <SectionTitle mb="sm">Needs attention</SectionTitle>
      {items.length === 0 && (
        <Group gap="xs" wrap="nowrap">
          <ThemeIcon color="teal" variant="light" size="md" radius="xl">
            <TbCircleCheck size={16} aria-hidden />
          </ThemeIcon>
          <Text size="sm">No issues.</Text>
        </Group>
      )}
      <Stack gap="sm">
        {items.map(({ severity, title, detail, path }, position) => {
          const { color, icon: Sign, word } = LOOK[severity];
          return (
            <Group key={position} gap="xs" wrap="nowrap" align="flex-start">
              <ThemeIcon color={color} variant="light" size="md" radius="xl">
                <Sign size={15} role="img" aria-label={word} />
              </ThemeIcon>
              <div style={{ minWidth: 0 }}>
                <Anchor component={Link} href={`~${path}`} size="sm" fw={500} display="block">
                  {title}
                </Anchor>
                {detail !== "" && (
                  <Text size="xs" c="dimmed" mt={2} style={{ overflowWrap: "anywhere" }}>
                    {detail}
                  </Text>
                )}
              </div>
            </Group>
          );
        })}
      </Stack>
    </Card>
  );
}
