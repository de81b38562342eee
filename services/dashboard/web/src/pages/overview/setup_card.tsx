import { Anchor, Card, Group, Progress, Stack, Text, ThemeIcon } from "@mantine/core";
import { TbCheck, TbCircleDashed } from "react-icons/tb";
import { Link } from "wouter";
import type { SetupStep } from "../../../../interface/overview.ts";
import { SectionTitle } from "../../parts/section_title.tsx";

const STEPS: Record<SetupStep["step"], { title: string; about: string; path: string }> = {
  integration: {
    title: "Connect your mail server",
    about: "An SMTP integration defines your mail server and your sender addresses.",
    path: "/integrations",
  },
  template: {
    title: "Publish an email template",
    about: "Write it, preview it, and publish it. Requests use the published version.",
    path: "/email-templates",
  },
  token: {
    title: "Generate a token",
    about: "Your program sends it with each request.",
    path: "/tokens",
  },
  mail: {
    title: "Send the first message",
    about:
      "Copy the request as curl from the template editor. The message appears here immediately.",
    path: "/messages",
  },
};

/** The steps of a new account until its first mail. */
export function SetupCard({ steps }: { steps: SetupStep[] }) {
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Card withBorder component="section" aria-label="Getting started">
      <Group justify="space-between" mb="xs">
        <SectionTitle>Getting started</SectionTitle>
        <Text size="sm" c="dimmed">{done} of {steps.length} done</Text>
      </Group>
      <Progress value={100 * done / steps.length} size="sm" mb="md" aria-label="Steps done" />
      <Stack gap="sm" component="ol" p={0} m={0} style={{ listStyle: "none" }}>
        {steps.map(({ step, isDone }) => {
          const { title, about, path } = STEPS[step];
          return (
            <Group key={step} component="li" gap="sm" wrap="nowrap" align="flex-start">
              <ThemeIcon color={isDone ? "teal" : "gray"} variant="light" radius="xl" size="md">
                {isDone
                  ? <TbCheck size={15} role="img" aria-label="Done" />
                  : <TbCircleDashed size={15} role="img" aria-label="To do" />}
              </ThemeIcon>
              <div>
                {isDone
                  ? <Text size="sm" c="dimmed" td="line-through">{title}</Text>
                  : <Anchor component={Link} href={`~${path}`} size="sm" fw={600}>{title}</Anchor>}
                {!isDone && <Text size="xs" c="dimmed">{about}</Text>}
              </div>
            </Group>
          );
        })}
      </Stack>
    </Card>
  );
}
