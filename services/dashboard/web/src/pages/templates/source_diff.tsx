import { Box, Paper, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import type { TemplateSource } from "../../../../interface/templates.ts";
import { DiffView } from "../../editor/lazy_editor.tsx";
import { changedSections } from "./source_sections.ts";

/** The differences between two sources, section by section. */
export function SourceDiff({ before, after, same }: {
  before: TemplateSource;
  after: TemplateSource;
  /** Shown if nothing differs. */
  same: string;
}) {
  const sections = useMemo(() => changedSections(before, after), [before, after]);
  if (sections.length === 0) return <Text size="sm" c="dimmed">{same}</Text>;
  return (
    <Stack gap="sm">
      {sections.map(({ name, before, after, language }) => (
        <Paper key={name} withBorder component="section" aria-label={name}>
          <Text size="xs" fw={600} px="sm" py={6}>{name}</Text>
          <Box mah={380} style={SCROLL}>
            <DiffView
              before={before}
              after={after}
              language={language}
              label={`Changes: ${name}`}
            />
          </Box>
        </Paper>
      ))}
    </Stack>
  );
}

const SCROLL = {
  overflow: "auto",
  borderTop: "1px solid var(--mantine-color-default-border)",
} as const;
