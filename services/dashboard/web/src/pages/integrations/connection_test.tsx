import { Alert, Box, Button, Code, Group, Loader, Paper, Stack, Text } from "@mantine/core";
import type { ProbeStep } from "@posthaste/contracts";
import { TbCheck, TbMinus, TbPlugConnected, TbX } from "react-icons/tb";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ProbeInput, ProbeView } from "../../../../interface/integrations.ts";
import { HttpError, request } from "../../api.ts";
import { SectionTitle } from "../../parts/section_title.tsx";

const STEPS: readonly [ProbeStep["step"], string][] = [
  ["resolve", "Look up the host"],
  ["connect", "Connect"],
  ["greeting", "Greeting"],
  ["tls", "Encryption"],
  ["auth", "Login"],
  ["sender", "Sender"],
];

/** Steps appear one after the other, so that the eye can follow. */
const REVEAL_MS = 180;

/** Tests the server with the form's values, saved or not, and shows each step. */
export function ConnectionTest({ inputOf, onIssues }: {
  inputOf: () => ProbeInput;
  /** Called with the fields that the interface rejects. */
  onIssues: (issues: HttpError["issues"]) => void;
}) {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      request<ProbeView>("/integrations/probe", { method: "POST", body: inputOf() }),
    onError: (error) => {
      if (error instanceof HttpError) onIssues(error.issues);
    },
  });
  return (
    <Paper withBorder component="section" p="lg" aria-live="polite">
      <Stack gap="sm">
        <div>
          <SectionTitle>Test connection</SectionTitle>
          <Text size="sm" c="dimmed">
            Connects, logs in, and asks whether mail from the first sender is taken. Nothing is
            sent, and nothing is saved.
          </Text>
        </div>
        <Button
          variant="default"
          style={{ alignSelf: "flex-start" }}
          leftSection={<TbPlugConnected size={16} />}
          loading={isPending}
          onClick={() => mutate()}
        >
          Test connection
        </Button>
        {error !== null && <Alert color="red">{error.message}</Alert>}
        {isPending && <Running />}
        {data && !isPending && <Result key={JSON.stringify(data)} result={data} />}
      </Stack>
    </Paper>
  );
}

function Running() {
  return (
    <Stack gap="xs" role="status" aria-label="The test is running">
      <Group gap="xs">
        <Loader size={16} />
        <Text size="sm">The mailer talks to the server; a silent one takes up to 20 seconds</Text>
      </Group>
      {STEPS.map(([step, label]) => (
        <Group key={step} gap="xs">
          <TbMinus size={16} color="var(--mantine-color-dimmed)" aria-hidden />
          <Text size="sm" c="dimmed">{label}</Text>
        </Group>
      ))}
    </Stack>
  );
}

function Result({ result }: { result: ProbeView }) {
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (shown >= STEPS.length) return;
    const timer = setTimeout(() => setShown(shown + 1), REVEAL_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <Stack gap="sm">
      {shown >= STEPS.length && result.ok && (
        <Alert color="teal" icon={<TbCheck size={20} />} title="It works">
          Mail can go out by this server.
        </Alert>
      )}
      <Stack gap="sm" component="ol" p={0} m={0} style={{ listStyle: "none" }}>
        {result.steps.slice(0, shown).map((step) => <Step key={step.step} step={step} />)}
      </Stack>
    </Stack>
  );
}

function Step({ step }: { step: ProbeStep }) {
  const { outcome, detail, reply, remedy, durationMs } = step;
  const colour = outcome === "skipped" ? "dimmed" : "inherit";
  const label = STEPS.find(([name]) => name === step.step)?.[1] ?? step.step;
  return (
    <Group component="li" gap="xs" align="flex-start" wrap="nowrap">
      <Box pt={2}>
        <Sign outcome={outcome} />
      </Box>
      <Stack gap={4} flex={1} miw={0}>
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <Text size="sm" fw={600} c={colour}>{label}</Text>
          {outcome !== "skipped" && <Text size="xs" c="dimmed">{sayDuration(durationMs)}</Text>}
        </Group>
        {detail !== "" && (
          <Text size="sm" c={colour} style={WRAP}>
            {detail}
          </Text>
        )}
        {reply !== undefined && (
          <Code block fz="xs" style={{ whiteSpace: "pre-wrap", ...WRAP }}>{reply}</Code>
        )}
        {remedy !== undefined && (
          <Alert color="orange" p="xs" title="What to do">
            <Text size="sm">{remedy}.</Text>
          </Alert>
        )}
      </Stack>
    </Group>
  );
}

const WRAP = { overflowWrap: "anywhere" } as const;

function Sign({ outcome }: Pick<ProbeStep, "outcome">) {
  if (outcome === "done") {
    return <TbCheck size={16} color="var(--mantine-color-teal-7)" role="img" aria-label="Done" />;
  }
  if (outcome === "failed") {
    return <TbX size={16} color="var(--mantine-color-red-7)" role="img" aria-label="Failed" />;
  }
  return (
    <TbMinus
      size={16}
      color="var(--mantine-color-dimmed)"
      role="img"
      aria-label="Skipped"
    />
  );
}

function sayDuration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
