import { Anchor, Group } from "@mantine/core";
import { TbArrowLeft } from "react-icons/tb";
import { Link } from "wouter";

/** Links from a message, or a send, back to the list. */
export function AllMessagesLink() {
  return (
    <Anchor component={Link} href="/" size="sm">
      <Group gap={4} component="span">
        <TbArrowLeft size={14} aria-hidden />All messages
      </Group>
    </Anchor>
  );
}
