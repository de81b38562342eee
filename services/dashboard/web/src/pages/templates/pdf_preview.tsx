import { ActionIcon, Box, Button, Group, SegmentedControl, Text, Tooltip } from "@mantine/core";
import { TbDownload, TbZoomIn, TbZoomOut } from "react-icons/tb";
import { lazy, Suspense, useState } from "react";
import { CodeView } from "../../editor/lazy_editor.tsx";
import { Waiting } from "../../parts/states.tsx";
import { AddImageButton } from "./texts/add_image.tsx";
import { EditSwitch } from "./texts/edit_switch.tsx";
import { HiddenTextList } from "./texts/hidden_text_list.tsx";
import type { TextEditing } from "./texts/use_text_editing.ts";
import { Took } from "./took.tsx";
import { sizeText } from "./size_text.ts";

const PdfPages = lazy(() => import("./pdf_pages.tsx"));

/** Widths of a page, as parts of the width there is. */
const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3];

/** A PDF template as it is printed: its pages, or the HTML that they are made of. */
export function PdfPreview({ pdf, html, filename, tookMs, isWaiting, editing = null }: {
  pdf: { key: string; size: number; blocked: string[] } | null;
  html: string;
  filename: string;
  tookMs: number;
  isWaiting: boolean;
  /** Null if the texts cannot be edited. */
  editing?: TextEditing | null;
}) {
  const [look, setLook] = useState("pages");
  const [zoom, setZoom] = useState(2);
  const [pages, setPages] = useState<number | null>(null);
  if (pdf === null) return null;
  const address = addressOf(pdf.key);
  const marks = editing?.marked?.pdf ?? null;
  return (
    <Box h="100%" style={{ display: "flex", flexDirection: "column" }}>
      <Group px="sm" py="xs" gap="xs" justify="space-between">
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="What the preview shows"
            value={look}
            onChange={setLook}
            data={[{ value: "pages", label: "Pages" }, { value: "source", label: "Source" }]}
          />
          {look === "pages" && editing !== null && (
            <>
              <EditSwitch editing={editing} />
              <AddImageButton editing={editing} />
            </>
          )}
          {look === "pages" && (
            <Group gap={2} wrap="nowrap">
              <Zoom label="Smaller" onClick={() => setZoom(zoom - 1)} disabled={zoom === 0}>
                <TbZoomOut size={16} />
              </Zoom>
              <Text size="xs" w={40} ta="center">{(ZOOMS[zoom] ?? 1) * 100}%</Text>
              <Zoom
                label="Larger"
                onClick={() => setZoom(zoom + 1)}
                disabled={zoom === ZOOMS.length - 1}
              >
                <TbZoomIn size={16} />
              </Zoom>
            </Group>
          )}
        </Group>
        <Group gap="xs" wrap="nowrap">
          <Text size="xs" c="dimmed" role="status">
            {pages !== null && `${pages} ${pages === 1 ? "page" : "pages"}, `}
            {sizeText(pdf.size)}
          </Text>
          <Took tookMs={tookMs} isWaiting={isWaiting} />
          <Button
            component="a"
            href={address}
            download={filename.endsWith(".pdf") ? filename : `${filename}.pdf`}
            size="compact-xs"
            variant="default"
            leftSection={<TbDownload size={14} />}
          >
            Download
          </Button>
        </Group>
      </Group>
      {pdf.blocked.length > 0 && (
        <Text size="xs" px="sm" pb="xs" c="orange" style={{ overflowWrap: "anywhere" }}>
          Not loaded: {pdf.blocked.join(", ")}
        </Text>
      )}
      <Box flex={1} mih={0} style={BORDER}>
        {look === "pages"
          ? (
            <Suspense fallback={<Waiting label="Loading the PDF reader" />}>
              <PdfPages
                address={address}
                zoom={ZOOMS[zoom] ?? 1}
                onPages={setPages}
                marks={marks === null ? null : addressOf(marks)}
                editing={editing}
              />
            </Suspense>
          )
          : <CodeView language="html" label="HTML that is printed" value={html} />}
      </Box>
      {look === "pages" && marks !== null && editing !== null && (
        <HiddenTextList editing={editing} type="text" shown={editing.shown} />
      )}
    </Box>
  );
}

function addressOf(key: string): string {
  return `/api/templates/pdf/preview/${encodeURIComponent(key)}`;
}

function Zoom({ label, disabled, onClick, children }: {
  label: string;
  disabled: boolean;
  onClick: () => void;
  children: React.ReactNode;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={label}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

const BORDER = { borderTop: "1px solid var(--mantine-color-default-border)" };
