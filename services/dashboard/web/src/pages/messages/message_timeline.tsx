import { Badge, Group, Text, Timeline } from "@mantine/core";
import type { TimelineStep } from "../../../../interface/messages.ts";
import { durationText } from "../../parts/duration.ts";
import { absoluteTime } from "../../parts/time.tsx";
import { STATE_LOOK } from "./state_badge.tsx";

const WORDS: Record<TimelineStep["type"], string> = {
  queued: "Accepted",
  rendered: "Rendered",
  printed: "PDFs printed",
  deferred: "Deferred",
  sending: "Sending began",
  unknown: "Outcome unknown",
  sent: "The server took it",
  failed: "Failed",
  canceled: "Canceled",
};

/** A message's way, step by step, with the time that each took. */
export function MessageTimeline({ steps }: { steps: TimelineStep[] }) {
  return (
    <Timeline active={steps.length - 1} bulletSize={24} lineWidth={2}>
      {steps.map(({ at, type, attempt, durationMs, sinceMs, detail, isAmbiguous }, position) => {
        const { icon: Sign, color } = STATE_LOOK[type];
        return (
          <Timeline.Item
            key={`${at}-${position}`}
            bullet={<Sign size={14} aria-hidden />}
            color={color}
            title={
              <Group gap="xs">
                <Text fw={600} size="sm">{WORDS[type]}</Text>
                {attempt > 0 && <Text size="xs" c="dimmed">attempt {attempt}</Text>}
                {isAmbiguous && (
                  <Badge
                    size="sm"
                    color="orange"
                    variant="outline"
                    tt="none"
                    styles={{ label: { color: "var(--mantine-color-text)" } }}
                  >
                    may have arrived
                  </Badge>
                )}
              </Group>
            }
          >
            <Text size="xs" c="dimmed">
              {absoluteTime(new Date(at))}
              {sinceMs !== null && `, ${durationText(sinceMs)} later`}
              {durationMs !== null && `; took ${durationText(durationMs)}`}
            </Text>
            {detail !== null && <Text size="sm" mt={2}>{detail}</Text>}
          </Timeline.Item>
        );
      })}
    </Timeline>
  );
}
