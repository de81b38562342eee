import { Text, Timeline } from "@mantine/core";
import { TbHistory } from "react-icons/tb";
import type { IntegrationView } from "../../../../interface/integrations.ts";
import { Empty } from "../../parts/states.tsx";
import { absoluteTime, Time } from "../../parts/time.tsx";
import { lookOfEvent } from "./integration_look.ts";

/** Shows the events of an integration within 30 days. */
export function HistoryPanel({ view: { history, createdAt } }: { view: IntegrationView }) {
  if (history.length === 0) {
    return (
      <Empty icon={TbHistory} title="No events in the last 30 days">
        Events appear here when the server refuses the login or cannot be reached, or when someone
        pauses the integration.
      </Empty>
    );
  }
  return (
    <Timeline bulletSize={26} lineWidth={2} active={history.length} maw={640}>
      {history.map(({ at, type, reason }, index) => {
        const { label, color, icon: Sign } = lookOfEvent(type);
        const lasted = index === 0 ? undefined : sayLasted(at, history[index - 1]?.at ?? at);
        return (
          <Timeline.Item
            key={`${at} ${type}`}
            bullet={<Sign size={14} aria-hidden />}
            color={color}
            title={label}
          >
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>{reason}</Text>
            <Text size="xs" c="dimmed">
              <Time at={at} size="xs" /> · {absoluteTime(new Date(at))}
              {lasted !== undefined && ` · lasted ${lasted}`}
            </Text>
          </Timeline.Item>
        );
      })}
      <Timeline.Item title="Created">
        <Text size="xs" c="dimmed">{absoluteTime(new Date(createdAt))}</Text>
      </Timeline.Item>
    </Timeline>
  );
}

function sayLasted(from: string, to: string): string {
  const minutes = (Date.parse(to) - Date.parse(from)) / 60_000;
  if (minutes < 1) return `${Math.max(1, Math.round(minutes * 60))} s`;
  if (minutes < 120) return `${Math.round(minutes)} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}
