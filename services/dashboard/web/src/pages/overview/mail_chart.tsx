import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { Table } from "@mantine/core";
import type { Bar } from "./buckets.ts";
import { MAIL_SERIES } from "./mail_series.ts";

type Counted = (typeof MAIL_SERIES)[number]["name"];

/** Counts over time, as a chart. */
export default function MailChart({ bars }: { bars: Bar[] }) {
  // These are rare. A legend, or room for a bar, is needed only if there are any.
  const isShown = (name: Counted) =>
    name === "sent" || name === "failed" || bars.some((bar) => bar[name] > 0);
  return (
    <div role="img" aria-label={summaryOf(bars)}>
      <BarChart
        h={260}
        data={bars as unknown as Record<string, unknown>[]}
        dataKey="label"
        series={MAIL_SERIES.filter(({ name }) => isShown(name))}
        withLegend
        legendProps={{ verticalAlign: "bottom" }}
        tickLine="y"
        xAxisProps={{ interval: "equidistantPreserveStart", minTickGap: 24 }}
        yAxisProps={{ allowDecimals: false, width: "auto" }}
        valueFormatter={(value) => value.toLocaleString()}
        barChartProps={{ accessibilityLayer: false, barGap: 1, margin: { top: 10, left: 10 } }}
        barProps={{ isAnimationActive: false }}
      />
    </div>
  );
}

function summaryOf(bars: Bar[]): string {
  const sum = (name: "sent" | "failed" | "deferred") =>
    bars.reduce((total, bar) => total + bar[name], 0).toLocaleString();
  return `Chart: ${sum("sent")} sent, ${sum("failed")} failed, ${sum("deferred")} deferrals. ` +
    "For the numbers, show the table";
}

/** The same counts as a table. */
export function MailTable({ bars }: { bars: Bar[] }) {
  const shown = bars.filter(({ accepted, sent, failed, deferred, unknown }) =>
    accepted + sent + failed + deferred + unknown > 0
  );
  return (
    <Table.ScrollContainer minWidth={420} mah={300} type="native">
      <Table stickyHeader aria-label="Messages by time">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>From</Table.Th>
            {["Accepted", ...MAIL_SERIES.map(({ label }) => label)].map((name) => (
              <Table.Th key={name} ta="right">{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((bar, position) => (
            <Table.Tr key={position}>
              <Table.Td>{bar.label}</Table.Td>
              {[bar.accepted, ...MAIL_SERIES.map(({ name }) => bar[name])].map((value, at) => (
                <Table.Td key={at} ta="right">{value.toLocaleString()}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
