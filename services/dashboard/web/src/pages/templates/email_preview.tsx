import { Badge, Box, Group, SegmentedControl, Text, Tooltip } from "@mantine/core";
import { useState } from "react";
import type { PreviewView } from "../../../../interface/templates.ts";
import { CodeView } from "../../editor/lazy_editor.tsx";
import { useCarriedImages, withCarriedImages } from "../files/file_queries.ts";
import { framedHtml, hasDarkStyles, type MailScheme } from "./framed_html.ts";
import { inertPage } from "./inert_page.ts";
import { MailFrame } from "./mail_frame.tsx";
import { AddImageButton } from "./texts/add_image.tsx";
import { EditSubject } from "./texts/edit_subject.tsx";
import { EditSwitch } from "./texts/edit_switch.tsx";
import { FrameSpots } from "./texts/frame_spots.tsx";
import { HiddenTextList } from "./texts/hidden_text_list.tsx";
import { PlainTexts } from "./texts/plain_texts.tsx";
import type { TextEditing } from "./texts/use_text_editing.ts";
import { Took } from "./took.tsx";
import { GMAIL_LIMIT, sizeText } from "./size_text.ts";

type Look = "desktop" | "phone" | "text" | "source";

/** A mail as its recipient sees it, wide or narrow, light or dark, and its source. */
export function EmailPreview({ output, tookMs, isWaiting, editing = null }: {
  output: PreviewView["output"];
  tookMs: number;
  isWaiting: boolean;
  /** Null if the texts cannot be edited. */
  editing?: TextEditing | null;
}) {
  const [look, setLook] = useState<Look>("desktop");
  const [scheme, setScheme] = useState<MailScheme>("light");
  const images = useCarriedImages(output?.html ?? "");
  if (output === null) return null;
  const { subject, html, text, textGenerated, size } = output;
  const isFramed = look === "desktop" || look === "phone";
  const dress = (page: string) => framedHtml(withCarriedImages(page, images), scheme);
  const title = (
    <Text size="sm" fw={600} flex={1} miw={0} style={{ overflowWrap: "anywhere" }}>
      {subject === "" ? "(no subject)" : subject}
    </Text>
  );
  return (
    <Box h="100%" style={{ display: "flex", flexDirection: "column" }}>
      <Group px="sm" pt="xs" pb={8} gap={6}>
        <SegmentedControl
          size="xs"
          aria-label="What the preview shows"
          value={look}
          onChange={(value) => setLook(value as Look)}
          data={[
            { value: "desktop", label: "Desktop" },
            { value: "phone", label: "Phone" },
            { value: "text", label: "Text" },
            { value: "source", label: "Source" },
          ]}
        />
        {isFramed && (
          <SegmentedControl
            size="xs"
            aria-label="Colours of the mail client"
            value={scheme}
            onChange={(value) => setScheme(value as MailScheme)}
            data={[{ value: "light", label: "Light" }, { value: "dark", label: "Dark" }]}
          />
        )}
        {editing !== null && (isFramed || look === "text" && !textGenerated) && (
          <EditSwitch editing={editing} />
        )}
        {editing !== null && isFramed && <AddImageButton editing={editing} />}
      </Group>
      <Box px="sm" pb="xs">
        <Group gap="xs" wrap="nowrap" align="flex-start">
          {editing === null ? title : <EditSubject editing={editing}>{title}</EditSubject>}
          <Box visibleFrom="xs">
            <Took tookMs={tookMs} isWaiting={isWaiting} />
          </Box>
          <Size bytes={size} />
        </Group>
        {isFramed && scheme === "dark" && (
          <Text size="xs" c="dimmed">
            {hasDarkStyles(html)
              ? "The mail's own dark colours, as in Apple Mail. Gmail and Outlook may change them."
              : "An approximation: the mail has no dark colours, and some clients invert such mails."}
          </Text>
        )}
        {look === "text" && (
          <Text size="xs" c="dimmed">
            {textGenerated ? "Generated from the HTML." : "Written by hand."}
          </Text>
        )}
      </Box>
      <Box flex={1} mih={0} style={BORDER}>
        {isFramed && (
          <MailFrame
            html={html}
            images={images}
            dress={dress}
            scheme={scheme}
            width={look === "phone" ? 375 : null}
            overlay={editing?.isOn
              ? (frame, size) => <Spots {...{ frame, size, editing, dress }} />
              : undefined}
          />
        )}
        {look === "text" && <PlainTexts text={text} editing={editing} />}
        {look === "source" && <CodeView language="html" label="HTML that is sent" value={html} />}
      </Box>
      {isFramed && editing !== null && (
        <HiddenTextList editing={editing} type="text" shown={editing.shown} />
      )}
    </Box>
  );
}

function Spots({ editing, dress, ...frame }: {
  frame: HTMLIFrameElement;
  size: string;
  editing: TextEditing;
  dress: (page: string) => string;
}) {
  const html = editing.marked?.html ?? null;
  return html === null
    ? null
    : <FrameSpots {...frame} page={inertPage(dress(html))} editing={editing} />;
}

function Size({ bytes }: { bytes: number }) {
  const fits = bytes <= GMAIL_LIMIT;
  const label = fits
    ? "Gmail shows mails of up to 102 KB completely. This mail fits"
    : "Gmail cuts this mail off at 102 KB, with a link to the rest";
  return (
    <Tooltip label={label}>
      <Badge
        variant="light"
        color={fits ? "teal" : "red"}
        tt="none"
        tabIndex={0}
        aria-label={`${sizeText(bytes)}: ${label}`}
        role="note"
      >
        {sizeText(bytes)}
      </Badge>
    </Tooltip>
  );
}

const BORDER = { borderTop: "1px solid var(--mantine-color-default-border)" };
