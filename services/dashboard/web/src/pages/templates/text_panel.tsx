import { Box, Group, ScrollArea, SegmentedControl, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { CodeEditor } from "../../editor/lazy_editor.tsx";
import type { TemplateWords } from "../../editor/template_completion.ts";
import { sourceMarks, type SourcePlace } from "./source_marks.ts";
import type { Draft } from "./use_draft.ts";
import type { Preview } from "./use_preview.ts";

const NONE = { errors: [], findings: [] };

/** The plain text of a mail: made from its HTML, or written by hand. */
export function TextPanel({ draft, preview, readOnly, words, place }: {
  draft: Draft;
  preview: Preview;
  readOnly: boolean;
  words: TemplateWords;
  place: SourcePlace | null;
}) {
  const { source, change } = draft;
  const [isOwn, setOwn] = useState(source.text !== "");
  const [written, setWritten] = useState(source.text);
  const answer = preview.view ?? NONE;
  const marks = useMemo(() => sourceMarks("text", answer), [answer]);
  const own = isOwn || source.text !== "";
  const choose = (value: string) => {
    setOwn(value === "own");
    if (value === "own") return change({ text: written });
    setWritten(source.text);
    change({ text: "" });
  };
  return (
    <Box h="100%" style={{ display: "flex", flexDirection: "column" }}>
      <Group px="sm" py="xs" gap="sm">
        <SegmentedControl
          size="xs"
          aria-label="Where the text comes from"
          value={own ? "own" : "made"}
          onChange={choose}
          disabled={readOnly}
          data={[
            { value: "made", label: "Generated from the HTML" },
            { value: "own", label: "Written by hand" },
          ]}
        />
        <Text size="xs" c="dimmed">
          {own && source.text === ""
            ? "While this is empty, the text is generated from the HTML."
            : own
            ? "This text is sent with the HTML."
            : "As it is sent with the sample data:"}
        </Text>
      </Group>
      <Box flex={1} mih={0}>
        {own
          ? (
            <CodeEditor
              language="text"
              label="Text of the mail"
              value={source.text}
              onChange={(text) => change({ text })}
              {...{ readOnly, marks, words }}
              place={place?.part === "text" ? place : null}
            />
          )
          : (
            <ScrollArea
              h="100%"
              viewportProps={{ tabIndex: 0, role: "region", "aria-label": "Text of the mail" }}
            >
              <Text component="pre" ff="monospace" size="sm" px="sm" m={0} style={WRAP}>
                {preview.good?.output?.text ?? ""}
              </Text>
            </ScrollArea>
          )}
      </Box>
    </Box>
  );
}

const WRAP = { whiteSpace: "pre-wrap", overflowWrap: "anywhere" } as const;
