import { Badge, Group, Text, Timeline } from "@mantine/core";
import type { TimelineStep } from "../../../../interface/messages.ts";
import { durationText } from "../../parts/duration.ts";
import { absoluteTime } from "../../parts/time.tsx";
import { lookOfMessage } from "./message_look.ts";

const WORDS: Record<TimelineStep["type"], string> = {
  scheduled: "Scheduled",
  queued: "Accepted",
  rendered: "Rendered",
  printed: "PDFs printed",
  deferred: "Deferred",
  sending: "Sending started",
  unknown: "Outcome unknown",
  sent: "Accepted by the server",
  failed: "Failed",
  canceled: "Canceled",
  suppressed: "Not sent: suppressed",
};

/** A message's history, step by step, with the duration of each. */
export function MessageTimeline({ steps }: { steps: TimelineStep[] }) {
  return (
    <Timeline active={steps.length - 1} bulletSize={24} lineWidth={2}>
      {steps.map((step, position) => {
        const { at, type, attempt, durationMs, sinceMs, detail, integrationId } = step;
        const { icon: Sign, color } = lookOfMessage(type);
        return (
          <Timeline.Item
            key={`${at}-${position}`}
            bullet={<Sign size={14} aria-hidden />}
            color={color === "gray" ? "gray.6" : color}
            mt={position === 0 ? 0 : "md"}
            title={
              <Group gap="xs">
                <Text fw={600} size="sm">{WORDS[type]}</Text>
                {attempt > 0 && <Text size="xs" c="dimmed">attempt {attempt}</Text>}
                {integrationId !== undefined && (
                  <Text size="xs" c="dimmed">by integration {integrationId}</Text>
                )}
                {step.isAmbiguous && <Mark text="may have arrived" />}
                {step.warning !== null && <Mark text={WARNINGS[step.warning]} />}
              </Group>
            }
          >
            <Group gap={4} fz="xs" c="dimmed" style={{ rowGap: 0 }}>
              {partsOf({ at, sinceMs, durationMs }).map((part) => <span key={part}>{part}</span>)}
            </Group>
            {detail !== null && <Text size="xs" mt={2}>{detail}</Text>}
          </Timeline.Item>
        );
      })}
    </Timeline>
  );
}

const WARNINGS: Record<NonNullable<TimelineStep["warning"]>, string> = {
  missing_glyphs: "characters are missing",
};

function Mark({ text }: { text: string }) {
  return (
    <Badge
      size="sm"
      color="orange"
      variant="outline"
      tt="none"
      styles={{ label: { color: "var(--mantine-color-text)" } }}
    >
      {text}
    </Badge>
  );
}

/** Lines break only between these. */
function partsOf(
  { at, sinceMs, durationMs }: Pick<TimelineStep, "at" | "sinceMs" | "durationMs">,
): string[] {
  const later = sinceMs === null ? [] : [`${durationText(sinceMs)} later`];
  const took = durationMs === null ? [] : [`took ${durationText(durationMs)}`];
  const parts = [absoluteTime(new Date(at)), ...later, ...took];
  return parts.map((part, position) => position < parts.length - 1 ? `${part},` : part);
}
