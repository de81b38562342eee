import { Box, Paper, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** A part of a settings page: its subject, and its actions. */
export function Section({ title, about, children }: {
  title: string;
  about?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Paper withBorder p="lg">
      <Title order={2} size="h4">{title}</Title>
      {about && <Text size="sm" c="dimmed" mt={4}>{about}</Text>}
      {children && <Box mt="md">{children}</Box>}
    </Paper>
  );
}
