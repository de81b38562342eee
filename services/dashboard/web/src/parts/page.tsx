import { Anchor, Box, Container, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { TbArrowLeft } from "react-icons/tb";
import { Link } from "wouter";
import { announce } from "./announce.ts";

/** A page: its heading, what can be done there, and its content. */
export function Page({ title, about, back, actions, children, wide = false }: {
  title: string;
  /** One sentence below the heading. */
  about?: ReactNode;
  /** The label of the link to the list that it belongs to, above the heading: `All messages`. */
  back?: string;
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
    <Container size={wide ? "100%" : 1200} px={0}>
      <Stack gap="lg">
        <Group justify="space-between" align="flex-end" gap="sm">
          <Box flex="1 1 320px" miw={0}>
            {back !== undefined && (
              <Anchor component={Link} href="/" size="sm" display="inline-block" mb={4}>
                <Group gap={4} component="span">
                  <TbArrowLeft size={14} aria-hidden />
                  {back}
                </Group>
              </Anchor>
            )}
            <Title order={1} style={{ overflowWrap: "break-word" }}>{title}</Title>
            {about && <Text c="dimmed" size="sm" mt={2}>{about}</Text>}
          </Box>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </Container>
  );
}
