import { Alert, Box, Group, NativeSelect, Text } from "@mantine/core";
import type { TouchedTemplate } from "../../../../interface/partials.ts";
import { Waiting } from "../../parts/states.tsx";
import { EmailPreview } from "../templates/email_preview.tsx";
import { FindingList } from "../templates/finding_list.tsx";
import { PdfPreview } from "../templates/pdf_preview.tsx";
import type { PartialPreviewState } from "./use_partial_preview.ts";

/** The preview of a partial: alone, or in one of the templates that have it. */
export function PartialPreview({ preview, within, onWithin, templates }: {
  preview: PartialPreviewState;
  within: string | null;
  onWithin: (within: string | null) => void;
  templates: readonly TouchedTemplate[];
}) {
  const { good, view, error, isWaiting } = preview;
  return (
    <Box
      h="100%"
      component="section"
      aria-label="Preview"
      style={{ display: "flex", flexDirection: "column", minWidth: 0 }}
    >
      <Group gap="xs" px="sm" pt="xs">
        <NativeSelect
          size="xs"
          flex={1}
          aria-label="Where the preview shows it"
          value={within ?? ""}
          onChange={({ currentTarget: { value } }) => onWithin(value === "" ? null : value)}
          data={[
            { value: "", label: "Alone" },
            ...templates.map(({ kind, id, name }) => ({
              value: `${kind}/${id}`,
              label: `In “${name}”`,
            })),
          ]}
        />
      </Group>
      {error !== null && (
        <Alert color="red" p="xs" radius={0} mt="xs">
          <Text size="sm">The preview failed: {error.message}</Text>
        </Alert>
      )}
      {view?.pdf && "failed" in view.pdf && (
        <Alert color="red" p="xs" radius={0} mt="xs" title="The document could not be printed">
          <Text size="sm">{view.pdf.failed}</Text>
        </Alert>
      )}
      <Box flex={1} mih={0}>
        {good === null
          ? error === null && view === null && <Waiting label="Rendering the preview" />
          : good.pdf === null
          ? <EmailPreview output={good.output} tookMs={good.tookMs} isWaiting={isWaiting} />
          : (
            <PdfPreview
              pdf={"key" in good.pdf ? good.pdf : null}
              html={good.output?.html ?? ""}
              filename={good.output?.subject ?? "preview.pdf"}
              tookMs={good.tookMs}
              isWaiting={isWaiting}
            />
          )}
      </Box>
      {view !== null && <FindingList view={view} kind="email" onShow={() => {}} />}
    </Box>
  );
}
