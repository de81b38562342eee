import { Badge, Box, Group, Tabs, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import type { TemplateView } from "../../../../interface/templates.ts";
import { CodeEditor } from "../../editor/lazy_editor.tsx";
import { InsertImage, useInsertImage } from "./insert_image.tsx";
import { isMjml } from "./is_mjml.ts";
import { PageSetup } from "./page_setup.tsx";
import { SamplePanel } from "./sample_panel.tsx";
import { sourceMarks, type SourcePlace } from "./source_marks.ts";
import { TextPanel } from "./text_panel.tsx";
import type { Draft } from "./use_draft.ts";
import type { Preview } from "./use_preview.ts";
import { useTemplateWords } from "./use_template_words.ts";
import { VariablesPanel } from "./variables_panel.tsx";

const NONE = { errors: [], findings: [] };

/** The editor of a template's source. */
export function WritePane({ view, draft, preview, readOnly, place }: {
  view: TemplateView;
  draft: Draft;
  preview: Preview;
  readOnly: boolean;
  /** What is to be shown of the source. */
  place: SourcePlace | null;
}) {
  const isEmail = view.kind === "email";
  const { source, change } = draft;
  const [tab, setTab] = useState<string | null>("html");
  const [seen, setSeen] = useState(place);
  if (place !== seen) {
    setSeen(place);
    if (place !== null && place.part !== "subject") setTab(place.part);
  }
  const words = useTemplateWords(view.kind, {
    source,
    found: (preview.good ?? preview.view)?.variables,
  });
  const answer = preview.view ?? NONE;
  const marks = useMemo(() => sourceMarks("html", answer), [answer]);
  const invoiceMarks = useMemo(() => sourceMarks("invoice", answer), [answer]);
  // A text without a profile is an error, which must be reachable.
  const hasInvoice = source.page?.invoice !== undefined || source.invoice !== undefined;
  const [subjectMark] = useMemo(() => sourceMarks("subject", answer), [answer]);
  const images = useInsertImage({ isMjml: isMjml(source.html) });
  const missing = preview.view?.missing.length ?? 0;
  return (
    <Box h="100%" style={{ display: "flex", flexDirection: "column", minWidth: 0 }}>
      <Box px="sm" py="xs">
        <TextInput
          label={isEmail ? "Subject" : "File name"}
          placeholder={isEmail ? "Your invoice {{ number }}" : "invoice-{{ number }}.pdf"}
          value={isEmail ? source.subject : source.filename}
          onChange={({ currentTarget: { value } }) =>
            change(isEmail ? { subject: value } : { filename: value })}
          readOnly={readOnly}
          error={subjectMark?.severity === "error" ? subjectMark.message : undefined}
          size="sm"
          styles={INLINE_LABEL}
        />
      </Box>
      <Tabs
        // The tab goes with its text.
        value={tab === "invoice" && !hasInvoice ? "html" : tab}
        onChange={setTab}
        keepMountedMode="display-none"
        flex={1}
        mih={0}
        style={{ display: "flex", flexDirection: "column" }}
        styles={NARROW_TABS}
      >
        <Tabs.List px={{ base: 0, xs: "xs" }} style={{ flexWrap: "nowrap", overflowX: "auto" }}>
          <Tabs.Tab value="html">{isMjml(source.html) ? "MJML" : "HTML"}</Tabs.Tab>
          {isEmail
            ? <Tabs.Tab value="text">Text</Tabs.Tab>
            : <Tabs.Tab value="page">Page setup</Tabs.Tab>}
          {hasInvoice && <Tabs.Tab value="invoice">Invoice XML</Tabs.Tab>}
          <Tabs.Tab value="variables">
            <Group gap={6} wrap="nowrap">
              Variables
              {missing > 0 && (
                <Badge size="xs" color="red" circle role="img" aria-label={`${missing} missing`}>
                  {missing}
                </Badge>
              )}
            </Group>
          </Tabs.Tab>
          <Tabs.Tab value="sample" {...(draft.sampleError === null ? {} : { c: "red" })}>
            Sample data
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="html" {...FILL}>
          <Box h="100%" style={COLUMN}>
            {!readOnly && (
              <Group justify="flex-end" px="xs" py={2}>
                <InsertImage {...images} />
              </Group>
            )}
            <Box flex={1} mih={0}>
              <CodeEditor
                language="html"
                label={isEmail ? "HTML or MJML of the mail" : "HTML of the document"}
                value={source.html}
                onChange={(html) => change({ html })}
                {...{ readOnly, marks, words }}
                place={place?.part === "html" ? place : null}
                onFiles={(files) => void images.insertFiles(files)}
                insertion={images.insertion}
              />
            </Box>
          </Box>
        </Tabs.Panel>
        {isEmail && (
          <Tabs.Panel value="text" {...FILL}>
            <TextPanel {...{ draft, preview, readOnly, words }} place={place} />
          </Tabs.Panel>
        )}
        {hasInvoice && (
          <Tabs.Panel value="invoice" {...FILL}>
            <CodeEditor
              language="html"
              label="XML of the invoice"
              value={source.invoice ?? ""}
              onChange={(invoice) => change({ invoice: invoice || undefined })}
              {...{ readOnly, words }}
              marks={invoiceMarks}
              place={place?.part === "invoice" ? place : null}
            />
          </Tabs.Panel>
        )}
        {source.page !== null && (
          <Tabs.Panel value="page" {...SCROLL}>
            <PageSetup
              page={source.page}
              locale={source.locale}
              readOnly={readOnly}
              onChange={change}
            />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="variables" {...SCROLL}>
          <VariablesPanel
            {...{ draft, preview, readOnly, isEmail }}
            isNew={view.publishedVersion === null}
          />
        </Tabs.Panel>
        <Tabs.Panel value="sample" {...FILL}>
          <SamplePanel {...{ draft, preview, readOnly }} />
        </Tabs.Panel>
      </Tabs>
    </Box>
  );
}

const FILL = { flex: 1, mih: 0, style: { overflow: "hidden" } };
const COLUMN = { display: "flex", flexDirection: "column" } as const;
const SCROLL = { flex: 1, mih: 0, p: "sm", style: { overflowY: "auto" } } as const;
/** All four have room on a phone. */
const NARROW_TABS = { tab: { paddingInline: "clamp(10px, 2vw, 16px)" } };
const INLINE_LABEL = {
  root: { display: "grid", gridTemplateColumns: "auto 1fr", columnGap: 12, alignItems: "center" },
  error: { gridColumn: 2 },
} as const;
