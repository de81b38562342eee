import { Badge, Group } from "@mantine/core";
import type { TemplateRow } from "../../../../interface/templates.ts";

/** Shows the version that requests use, and whether the draft differs. */
export function TemplateState(
  { row }: { row: Pick<TemplateRow, "publishedVersion" | "hasChanges"> },
) {
  const { publishedVersion, hasChanges } = row;
  return (
    <Group gap={6}>
      {publishedVersion === null
        ? <Badge variant="default" tt="none" miw="max-content">Never published</Badge>
        : (
          <Badge variant="light" color="teal" tt="none" miw="max-content">
            Version {publishedVersion}
          </Badge>
        )}
      {hasChanges && publishedVersion !== null && (
        <Badge variant="light" color="orange" tt="none" miw="max-content">
          Changes not published
        </Badge>
      )}
    </Group>
  );
}
