import { Box, Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

/** The frame around the forms for sign-in. */
export function SignInFrame({ title, about, children }: {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Posthaste`;
  }, [title]);
  return (
    <Center mih="100dvh" component="main" p="md" className="sign-in">
      <Box w="100%" maw={420}>
        <Group gap="xs" justify="center" mb="lg">
          <img src="/icon.svg" alt="" width={28} height={28} />
          <Text fw={650} size="lg">Posthaste</Text>
        </Group>
        <Paper withBorder p={{ base: "lg", xs: "xl" }} radius="lg" shadow="xs">
          <Stack gap="lg">
            <div>
              <Title order={1} size="h2">{title}</Title>
              {about && <Text c="dimmed" size="sm" mt={6}>{about}</Text>}
            </div>
            {children}
          </Stack>
        </Paper>
      </Box>
    </Center>
  );
}
