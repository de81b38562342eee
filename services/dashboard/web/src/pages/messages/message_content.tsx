import { Alert, Anchor, Code, Group, Stack, Tabs, Text } from "@mantine/core";
import { TbFileTypePdf } from "react-icons/tb";
import type { MessageView } from "../../../../interface/messages.ts";
import { addressOf } from "../../api.ts";
import { useCarriedImages, withCarriedImages } from "../files/file_queries.ts";
import { Failed, Waiting } from "../../parts/states.tsx";
import { absoluteTime } from "../../parts/time.tsx";
import { useMessageContent } from "./use_message_content.ts";

/** The mail and its PDFs as they were sent, while they are kept. */
export function MessageContent({ message }: { message: MessageView }) {
  const { id, contentRemovedAt } = message;
  const { data, error, isPending, refetch } = useMessageContent(message);
  const images = useCarriedImages(data?.html ?? "", {
    key: ["messages", id, "images"],
    pathOf: (contentId) => `/messages/${id}/images/${contentId}`,
  });
  if (contentRemovedAt !== null) {
    return (
      <Alert color="gray" title="The content is no longer kept">
        <Text size="sm">
          It was removed{" "}
          {absoluteTime(new Date(contentRemovedAt))}. An owner of this account sets the retention
          time of contents in the settings.
        </Text>
      </Alert>
    );
  }
  if (error) return <Failed error={error} retry={() => void refetch()} />;
  if (isPending || data === undefined) return <Waiting label="Loading the content" />;
  return (
    <Stack gap="sm">
      <Text size="sm">
        <Text span c="dimmed">Subject:</Text> <b>{data.subject}</b>
      </Text>
      <Tabs defaultValue="mail" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="mail">Mail</Tabs.Tab>
          <Tabs.Tab value="text">Text part</Tabs.Tab>
          <Tabs.Tab value="source">HTML source</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="mail" pt="sm">
          <iframe
            title="Content as sent"
            sandbox=""
            srcDoc={withCarriedImages(data.html, images)}
            referrerPolicy="no-referrer"
            style={{
              width: "100%",
              height: 480,
              border: "1px solid var(--mantine-color-default-border)",
              borderRadius: "var(--mantine-radius-md)",
              background: "#fff",
            }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="text" pt="sm">
          <Source text={data.text} />
        </Tabs.Panel>
        <Tabs.Panel value="source" pt="sm">
          <Source text={data.html} />
        </Tabs.Panel>
      </Tabs>
      {data.pdfs.map(({ filename }, position) => (
        <Group key={position} gap="xs" wrap="nowrap">
          <TbFileTypePdf size={18} aria-hidden />
          <Anchor
            href={addressOf(`/messages/${id}/pdfs/${position}`)}
            target="_blank"
            rel="noreferrer"
            size="sm"
          >
            {filename}
          </Anchor>
        </Group>
      ))}
      {message.state !== "sent" && (
        <Text size="xs" c="dimmed">
          Rendered again now, from the template versions of the original request.
        </Text>
      )}
    </Stack>
  );
}

function Source({ text }: { text: string }) {
  return (
    <Code block tabIndex={0} mah={480} style={{ overflow: "auto", whiteSpace: "pre-wrap" }}>
      {text}
    </Code>
  );
}
