import { Card, Group, SegmentedControl, SimpleGrid, Switch, Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import type { OverviewRange, OverviewView } from "../../../../interface/overview.ts";
import { SectionTitle } from "../../parts/section_title.tsx";
import { Waiting } from "../../parts/states.tsx";
import { type Bar, barsOf, TIME_ZONE } from "./buckets.ts";
import { MAIL_SERIES } from "./mail_series.ts";

const MailChart = lazy(() => import("./mail_chart.tsx"));
const MailTable = lazy(async () => ({ default: (await import("./mail_chart.tsx")).MailTable }));

const RANGES = [
  { value: "24h", label: "24 hours" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
];

/** The account's counts over time. */
export function MailCard({ view, range, onRange }: {
  view: OverviewView;
  range: OverviewRange;
  onRange: (range: OverviewRange) => void;
}) {
  const [isTable, setTable] = useState(false);
  const bars = barsOf(view.counts, range, new Date(view.at));
  const isEmpty = view.counts.length === 0;
  return (
    <Card withBorder component="section" aria-label="Messages over time">
      <Group justify="space-between" mb="md" gap="sm">
        <SectionTitle>Messages over time</SectionTitle>
        <Group gap="sm">
          <Switch
            label="Show as table"
            checked={isTable}
            onChange={(event) => setTable(event.currentTarget.checked)}
          />
          <SegmentedControl
            aria-label="Time"
            size="xs"
            data={RANGES}
            value={range}
            onChange={(value) => onRange(value as OverviewRange)}
          />
        </Group>
      </Group>
      <Sums bars={bars} />
      {isEmpty
        ? <Text c="dimmed" size="sm" ta="center" py="xl">No messages in this period.</Text>
        : (
          <Suspense fallback={<Waiting label="Loading the chart" />}>
            {isTable ? <MailTable bars={bars} /> : <MailChart bars={bars} />}
          </Suspense>
        )}
      <Text size="xs" c="dimmed" mt="sm">
        Times are in your time zone, {TIME_ZONE}. A deferral is an attempt that is retried later.
      </Text>
    </Card>
  );
}

function Sums({ bars }: { bars: Bar[] }) {
  const sum = (name: "accepted" | (typeof MAIL_SERIES)[number]["name"]) =>
    bars.reduce((total, bar) => total + bar[name], 0).toLocaleString();
  const summed = MAIL_SERIES.filter(({ name }) => name !== "unknown");
  const cells = [
    ["Accepted", sum("accepted")],
    ...summed.map(({ name, label }) => [label, sum(name)]),
  ];
  return (
    <SimpleGrid cols={{ base: 2, xs: 4 }} mb="md">
      {cells.map(([label, value]) => (
        <div key={label}>
          <Text size="xs" c="dimmed">{label}</Text>
          <Text fz={24} fw={650} lh={1.2}>{value}</Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
