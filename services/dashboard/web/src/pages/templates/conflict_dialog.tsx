import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { SourceDiff } from "./source_diff.tsx";
import type { Draft } from "./use_draft.ts";

/** Shows the difference after two people have changed a draft, and asks which version to keep. */
export function ConflictDialog({ draft }: { draft: Draft }) {
  const { theirs, source, adopt, keepMine, compareWith, isSaving } = draft;
  const close = () => compareWith(null);
  const who = theirs?.updatedBy ?? "Someone else";
  return (
    <Modal
      opened={theirs !== null}
      onClose={close}
      size="xl"
      title="Someone else changed this draft"
    >
      {theirs !== null && (
        <Stack>
          <Text size="sm">
            {who}{" "}
            saved this draft while you were editing. Your changes are not lost. Red is theirs, green
            is yours.
          </Text>
          <SourceDiff before={theirs.draft} after={source} same="Both are the same." />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>Continue editing</Button>
            <Button variant="default" color="red" onClick={() => adopt(theirs)}>
              Use theirs, discard mine
            </Button>
            <Button loading={isSaving} onClick={() => void keepMine()}>Keep mine</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
