import { Card, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { Time } from "./time.tsx";

/** A row of a list as a card, for small screens: its state and time above the rest. */
export function RowCard({ state, at, children }: {
  state: ReactNode;
  at: string;
  children: ReactNode;
}) {
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" mb={4}>
        {state}
        <Time at={at} size="sm" c="dimmed" />
      </Group>
      {children}
    </Card>
  );
}
