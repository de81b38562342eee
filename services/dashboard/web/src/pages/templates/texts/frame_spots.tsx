import { useEffect, useEffectEvent, useState } from "react";
import { type PagePlace, pageTexts, placesOn } from "./page_texts.ts";
import type { EditTarget } from "./text_editing.ts";
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
  const onShown = useEffectEvent(editing.onShown);
  useEffect(() => {
    const { contentDocument } = frame;
    if (contentDocument === null) return;
    const texts = pageTexts(page);
    setValues(texts.values);
    const found = placesOn(contentDocument, texts).flatMap(({ range, ...place }) => {
      const { left, top, width, height } = range.getBoundingClientRect();
      return width < LEAST || height < LEAST
        ? []
        : [{ ...place, box: { left, top, width, height } }];
    });
    setSpots(found);
    onShown(shownNumbers(found));
  }, [frame, size, page]);
  return spots.filter(({ target }) => editing.offers(target.type)).map((
    { target, label, box },
    index,
  ) => (
    <TextSpot
      key={index}
      {...{ target, label, box, editing }}
      onOpen={(target, box) => editing.open({ target, box, shown: valuesOf(values, target) })}
    />
  ));
}

/** Returns the numbers of the texts at some places. */
export function shownNumbers(places: readonly { target: EditTarget }[]): ReadonlySet<number> {
  return new Set(places.flatMap(({ target }) => target.type === "text" ? [target.number] : []));
}

/** Returns what a preview shows for the values of a text. */
export function valuesOf(
  values: ReadonlyMap<number, readonly string[]>,
  { type, number }: EditTarget,
): readonly string[] {
  return type === "text" ? values.get(number) ?? [] : [];
}
