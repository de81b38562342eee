import { Badge, Group } from "@mantine/core";
import type { TemplateRow } from "../../../../interface/templates.ts";

/** What requests use of a template, and whether its draft says something else. */
export function TemplateState(
  { row }: { row: Pick<TemplateRow, "publishedVersion" | "hasChanges"> },
) {
  const { publishedVersion, hasChanges } = row;
  return (
    <Group gap={6} wrap="nowrap">
      {publishedVersion === null
        ? <Badge variant="default" tt="none">Never published</Badge>
        : <Badge variant="light" color="teal" tt="none">Version {publishedVersion}</Badge>}
      {hasChanges && publishedVersion !== null && (
        <Badge variant="light" color="orange" tt="none">Changes not published</Badge>
      )}
    </Group>
  );
}
