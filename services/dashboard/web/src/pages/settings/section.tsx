import { Box, Paper, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

/** A part of a settings page: its subject, and its actions. */
export function Section({ title, about, children }: {
  title: string;
  about?: ReactNode;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id}>
      <Title order={2} size="h4" id={id}>{title}</Title>
      {about && <Text size="sm" c="dimmed" mt={4}>{about}</Text>}
      {children && <Box mt="md">{children}</Box>}
    </Paper>
  );
}
