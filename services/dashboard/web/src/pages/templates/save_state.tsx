import { Badge, Text } from "@mantine/core";
import type { Draft } from "./use_draft.ts";

/** Says whether the changes of a draft are saved. */
export function SaveState({ draft: { isUnsaved, hasFailed, isSaved } }: { draft: Draft }) {
  if (isUnsaved) {
    return (
      <Badge variant="dot" color={hasFailed ? "red" : "orange"} tt="none">
        {hasFailed ? "Not saved: saving failed" : "Not saved"}
      </Badge>
    );
  }
  return isSaved ? <Text size="xs" c="dimmed" role="status">Saved</Text> : null;
}
