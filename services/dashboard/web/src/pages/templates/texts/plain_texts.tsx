import { Box, ScrollArea, Text } from "@mantine/core";
import { type KeyboardEvent, useMemo } from "react";
import { type MarkedText, readMarks } from "../../../../../texts/read_marks.ts";
import { textPlaces } from "../../../../../texts/text_places.ts";
import { HiddenTextList } from "./hidden_text_list.tsx";
import type { TextEditing } from "./use_text_editing.ts";
import "./text_spot.css";

/** The text part of a mail. A click on a paragraph opens it for editing, unless the text is made from the HTML. */
export function PlainTexts({ text, editing }: {
  text: string;
  /** Null if the texts cannot be edited. */
  editing: TextEditing | null;
}) {
  const marked = editing?.marked?.text ?? null;
  const marks = useMemo(() => marked === null ? null : readMarks(marked), [marked]);
  const places = useMemo(() => marks === null ? [] : textPlaces(text, marks), [text, marks]);
  const shown = useMemo(
    () => new Set(places.flatMap(({ type, number }) => type === "text" ? [number] : [])),
    [places],
  );
  const open = ({ type, number }: MarkedText, { currentTarget }: { currentTarget: Element }) => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    const target = { type: type === "text" ? "plain" as const : type, number };
    const values = type === "text" ? marks?.values.get(number) : undefined;
    editing?.open({ target, box: { left, top, width, height }, shown: values ?? [] });
  };
  return (
    <Box h="100%" style={{ display: "flex", flexDirection: "column" }}>
      <ScrollArea
        style={{ flex: 1, minHeight: 0 }}
        viewportProps={{ tabIndex: 0, role: "region", "aria-label": "Text of the mail" }}
      >
        <Text component="pre" ff="monospace" size="sm" p="sm" m={0} style={WRAP}>
          {places.map((place, index) => {
            const between = text.slice(places[index - 1]?.end ?? 0, place.start);
            const words = text.slice(place.start, place.end);
            return [
              between,
              <span
                key={index}
                className="text-part"
                role="button"
                tabIndex={0}
                aria-label={labelOf(place.type, words)}
                onClick={(event) => open(place, event)}
                onKeyDown={(event) => {
                  if (!isPress(event)) return;
                  event.preventDefault();
                  open(place, event);
                }}
              >
                {words}
              </span>,
            ];
          })}
          {text.slice(places.at(-1)?.end ?? 0)}
        </Text>
      </ScrollArea>
      {editing !== null && marks !== null && (
        <HiddenTextList editing={editing} type="plain" shown={shown} />
      )}
    </Box>
  );
}

function labelOf(type: MarkedText["type"], words: string): string {
  const what = type === "text" ? "Edit the text" : "Show the partial of the text";
  const label = words.replace(/\s+/g, " ");
  return `${what}: ${label.length > 60 ? `${label.slice(0, 60)}…` : label}`;
}

function isPress({ key }: KeyboardEvent): boolean {
  return key === "Enter" || key === " ";
}

const WRAP = { whiteSpace: "pre-wrap", overflowWrap: "anywhere" } as const;
