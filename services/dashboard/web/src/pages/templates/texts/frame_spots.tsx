import { useEffect, useState } from "react";
import { type PagePlace, pageTexts, placesOn } from "./page_texts.ts";
import { TextSpot } from "./text_spot.tsx";
import type { ScreenBox, TextEditing } from "./use_text_editing.ts";

interface Spot extends Omit<PagePlace, "range"> {
  box: ScreenBox;
}

/** Smaller texts are hidden ones, such as the text that an inbox shows beside the subject. */
const LEAST = 3;

/** The texts of a frame that can be edited, over the frame. */
export function FrameSpots({ frame, size, page, editing }: {
  /** Shows the page, without its own scroll bar. */
  frame: HTMLIFrameElement;
  /** Changes with the size of the frame. */
  size: string;
  /** The marked page. */
  page: string;
  editing: TextEditing;
}) {
  const [spots, setSpots] = useState<readonly Spot[]>([]);
  const [values, setValues] = useState<ReadonlyMap<number, readonly string[]>>(new Map());
  useEffect(() => {
    const { contentDocument } = frame;
    if (contentDocument === null) return;
    const texts = pageTexts(page);
    setValues(texts.values);
    setSpots(
      placesOn(contentDocument, texts).flatMap(({ range, ...place }) => {
        if (place.target.type === "image" && !editing.mayReplaceImages) return [];
        const { left, top, width, height } = range.getBoundingClientRect();
        return width < LEAST || height < LEAST
          ? []
          : [{ ...place, box: { left, top, width, height } }];
      }),
    );
  }, [frame, size, page, editing.mayReplaceImages]);
  return spots.map(({ target, label, box }, index) => (
    <TextSpot
      key={index}
      {...{ target, label, box }}
      onOpen={(target, box) =>
        editing.open({ target, box, shown: values.get(target.number) ?? [] })}
    />
  ));
}
