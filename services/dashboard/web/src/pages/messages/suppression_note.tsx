import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { MessageView } from "../../../../interface/messages.ts";
import { Time } from "../../parts/time.tsx";
import { reasonText } from "../suppressions/reason_text.ts";

/** Why the address of a suppressed message is on the list, and since when; or that it no longer is. */
export function SuppressionNote({ message: { suppression, email } }: { message: MessageView }) {
  if (suppression === null) {
    return (
      <Text size="sm">The address is no longer on the list. You can send the message again.</Text>
    );
  }
  const { addedAt, expiresAt } = suppression;
  return (
    <Text size="sm">
      {reasonText(suppression)}, on the list since <Time at={addedAt} size="sm" />
      {expiresAt !== null && (
        <>
          , until <Time at={expiresAt} size="sm" />
        </>
      )}.{" "}
      <Anchor
        component={Link}
        href={`~/suppressions?part=${encodeURIComponent(email)}`}
        size="sm"
        underline="always"
      >
        Show it on the list
      </Anchor>
      . Remove it there to send the message again.
    </Text>
  );
}
