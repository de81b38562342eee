import { Alert, Box, Button, Group, Text } from "@mantine/core";
import type { TemplateView } from "../../../../interface/templates.ts";
import { Waiting } from "../../parts/states.tsx";
import { EmailPreview } from "./email_preview.tsx";
import { FindingList } from "./finding_list.tsx";
import { PdfPreview } from "./pdf_preview.tsx";
import type { SourcePlace } from "./source_marks.ts";
import { EditPopover } from "./texts/edit_popover.tsx";
import { PlaceImage } from "./texts/place_image.tsx";
import { useTextEditing } from "./texts/use_text_editing.ts";
import type { Draft } from "./use_draft.ts";
import type { Preview } from "./use_preview.ts";

/** The preview of the source, and the findings. */
export function PreviewPane({ view, draft, preview, tag, readOnly, onShow }: {
  view: TemplateView;
  /** As if the body of the shown language were its own. */
  draft: Draft;
  preview: Preview;
  /** The shown language; null for the template's own body. */
  tag: string | null;
  readOnly: boolean;
  /** Shows a place of the source. */
  onShow: (place: SourcePlace) => void;
}) {
  const { good, view: newest, error, isWaiting, retry } = preview;
  const editing = useTextEditing({ view, draft, preview, tag, readOnly });
  const isOld = newest !== null && newest !== good && good !== null;
  return (
    <Box
      h="100%"
      component="section"
      aria-label="Preview"
      style={{ display: "flex", flexDirection: "column", minWidth: 0 }}
    >
      {error !== null && (
        <Alert color="red" p="xs" radius={0}>
          <Group gap="sm" justify="space-between">
            <Text size="sm">The preview failed: {error.message}</Text>
            <Button size="compact-xs" variant="default" onClick={retry}>Try again</Button>
          </Group>
        </Alert>
      )}
      {newest?.pdf && "failed" in newest.pdf && (
        <Alert color="red" p="xs" radius={0} title="The document could not be printed">
          <Text size="sm">{newest.pdf.failed}</Text>
        </Alert>
      )}
      {isOld && (
        <Text size="xs" px="sm" py={4} bg="light-dark(#fff4e0, #3a2f1d)" role="status">
          This is the preview before your last change. See the issues below.
        </Text>
      )}
      {editing !== null && <PlaceImage editing={editing} draft={draft} />}
      <Box flex={1} mih={0}>
        {good === null
          ? error === null && newest === null && <Waiting label="Rendering the preview" />
          : view.kind === "email"
          ? (
            <EmailPreview
              output={good.output}
              tookMs={good.tookMs}
              isWaiting={isWaiting}
              editing={editing}
            />
          )
          : (
            <PdfPreview
              pdf={good.pdf !== null && "key" in good.pdf ? good.pdf : null}
              html={good.output?.html ?? ""}
              filename={good.output?.subject ?? "preview.pdf"}
              tookMs={good.tookMs}
              isWaiting={isWaiting}
              editing={editing}
            />
          )}
      </Box>
      {editing !== null && <EditPopover {...{ editing, draft, preview }} />}
      {newest !== null && <FindingList view={newest} kind={view.kind} onShow={onShow} />}
    </Box>
  );
}
