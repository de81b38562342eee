import { Group } from "@mantine/core";
import type { TemplateRow } from "../../../../interface/templates.ts";
import { StatePill } from "../../parts/state_pill.tsx";

/** Shows the version that requests use, and whether the draft differs. */
export function TemplateState(
  { row }: { row: Pick<TemplateRow, "publishedVersion" | "hasChanges"> },
) {
  const { publishedVersion, hasChanges } = row;
  return (
    <Group gap={6}>
      {publishedVersion === null
        ? <StatePill label="Never published" color="gray" />
        : <StatePill label={`Version ${publishedVersion}`} color="teal" />}
      {hasChanges && publishedVersion !== null && (
        <StatePill label="Changes not published" color="orange" />
      )}
    </Group>
  );
}
