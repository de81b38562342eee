import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { SourceDiff } from "./source_diff.tsx";
import type { Draft } from "./use_draft.ts";

/** Two people have changed a draft: shows the difference and asks whose is kept. */
export function ConflictDialog({ draft }: { draft: Draft }) {
  const { theirs, source, adopt, keepMine, compareWith, isSaving } = draft;
  const close = () => compareWith(null);
  const who = theirs?.updatedBy ?? "Somebody else";
  return (
    <Modal
      opened={theirs !== null}
      onClose={close}
      size="xl"
      title="This draft was changed meanwhile"
    >
      {theirs !== null && (
        <Stack>
          <Text size="sm">
            {who}{" "}
            saved while you were writing. Nothing of yours is lost yet. Red is theirs, green is
            yours.
          </Text>
          <SourceDiff before={theirs.draft} after={source} same="Both say the same." />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>Go on writing</Button>
            <Button variant="default" color="red" onClick={() => adopt(theirs)}>
              Take theirs, drop mine
            </Button>
            <Button loading={isSaving} onClick={() => void keepMine()}>Keep mine</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
