import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { MessageView } from "../../../../interface/messages.ts";
import { useMessageContent } from "./use_message_content.ts";

/** The PDFs of a message: the templates as sent, and the names of the files. */
export function AttachmentList({ message }: { message: MessageView }) {
  const { data } = useMessageContent(message);
  return message.attachments.map(({ id, version, name, filename }, position) => (
    <div key={position}>
      <Anchor component={Link} href={`~/pdf-templates/${id}`} size="sm">
        {name ?? `No. ${id}`}
        {version !== null && `, version ${version}`}
      </Anchor>
      <Text size="xs" c="dimmed">{data?.pdfs[position]?.filename ?? filename}</Text>
    </div>
  ));
}
