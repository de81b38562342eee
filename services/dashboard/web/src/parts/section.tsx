import { Box, Paper, Text } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { SectionTitle } from "./section_title.tsx";

/** A part of a settings page: its subject, and its actions. */
export function Section({ title, about, children }: {
  title: string;
  about?: ReactNode;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id}>
      <SectionTitle id={id}>{title}</SectionTitle>
      {about && <Text size="sm" c="dimmed" mt={4}>{about}</Text>}
      {children && <Box mt="md">{children}</Box>}
    </Paper>
  );
}
