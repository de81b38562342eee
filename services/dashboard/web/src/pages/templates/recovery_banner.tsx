import { Alert, Button, Group, Text } from "@mantine/core";
import { TbRestore } from "react-icons/tb";
import { Time } from "../../parts/time.tsx";
import type { Recovery } from "./use_recovery.ts";

/** Offers the unsaved changes of an earlier visit. */
export function RecoveryBanner({ recovery: { kept, restore, discard } }: { recovery: Recovery }) {
  if (kept === null) return null;
  return (
    <Alert color="orange" icon={<TbRestore size={20} />} p="xs">
      <Group gap="sm">
        <Text size="sm">
          Your changes from <Time at={kept.at} size="sm" /> were not saved.
        </Text>
        <Button size="compact-sm" onClick={restore}>Restore them</Button>
        <Button size="compact-sm" variant="default" onClick={discard}>Discard them</Button>
      </Group>
    </Alert>
  );
}
