import { Card, Table, Text } from "@mantine/core";
import type { DurationView, StageView } from "../../../../interface/overview.ts";
import { durationText } from "../../parts/duration.ts";
import { SectionTitle } from "../../parts/section_title.tsx";
import { Time } from "../../parts/time.tsx";

const NAMES: Record<StageView["stage"], string> = {
  render: "Rendering",
  print: "Printing PDFs",
  mail: "Sending",
};

/** How much waits before each stage. */
export function QueuesCard({ stages }: { stages: StageView[] }) {
  return (
    <Card withBorder component="section" aria-label="Queues now">
      <SectionTitle>Queues now</SectionTitle>
      <Text size="xs" c="dimmed" mb="xs">All accounts of this installation</Text>
      <Table horizontalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Stage</Table.Th>
            <Table.Th ta="right">Waiting</Table.Th>
            <Table.Th ta="right">In flight</Table.Th>
            <Table.Th ta="right">Oldest</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {stages.map(({ stage, waiting, inHand, oldestAt }) => (
            <Table.Tr key={stage}>
              <Table.Td>{NAMES[stage]}</Table.Td>
              <Table.Td ta="right">{waiting.toLocaleString()}</Table.Td>
              <Table.Td ta="right">{inHand.toLocaleString()}</Table.Td>
              <Table.Td ta="right">
                {oldestAt === null ? "–" : <Time at={oldestAt} isNarrow size="sm" />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

/** How long each stage's work takes. */
export function DurationsCard({ durations }: { durations: DurationView[] }) {
  return (
    <Card withBorder component="section" aria-label="Slowest stages">
      <SectionTitle>Slowest stages</SectionTitle>
      <Text size="xs" c="dimmed" mb="xs">From this account's newest 500 messages</Text>
      {durations.length === 0
        ? <Text size="sm" c="dimmed">No messages yet.</Text>
        : (
          <Table horizontalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Stage</Table.Th>
                <Table.Th ta="right">Median</Table.Th>
                <Table.Th ta="right">95th percentile</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {durations.map(({ stage, p50Ms, p95Ms }) => (
                <Table.Tr key={stage}>
                  <Table.Td>{NAMES[stage]}</Table.Td>
                  <Table.Td ta="right">{durationText(p50Ms)}</Table.Td>
                  <Table.Td ta="right">{durationText(p95Ms)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
    </Card>
  );
}
