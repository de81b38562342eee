import { Anchor, Group } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { Link } from "wouter";

/** Leads from a message, or a send, back to the list. */
export function AllMessagesLink() {
  return (
    <Anchor component={Link} href="/" size="sm">
      <Group gap={4} component="span">
        <IconArrowLeft size={14} aria-hidden />All messages
      </Group>
    </Anchor>
  );
}
