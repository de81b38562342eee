import { Box, Container, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { announce } from "./announce.ts";

/** A page: its heading, what can be done there, and its content. */
export function Page({ title, about, actions, children, wide = false }: {
  title: string;
  /** One sentence below the heading. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Whether it takes the whole width of the window. */
  wide?: boolean;
}) {
  useEffect(() => {
    document.title = `${title} · Posthaste`;
    announce(title);
  }, [title]);
  return (
    <Container size={wide ? "100%" : "lg"} px={0}>
      <Stack gap="lg">
        <Group justify="space-between" align="flex-end" gap="sm">
          <Box flex="1 1 320px" miw={0}>
            <Title order={1} size="h2" style={{ overflowWrap: "break-word" }}>{title}</Title>
            {about && <Text c="dimmed" size="sm" mt={4}>{about}</Text>}
          </Box>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </Container>
  );
}
