import { Box, Button, Group, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { addImage } from "../../../../../texts/add_image.ts";
import type { ImagePlace } from "../../../../../texts/image_spot.ts";
import { imageTag } from "../../files/image_tag.ts";
import type { Draft } from "../use_draft.ts";
import { sourceOfText, wordsOf } from "./text_editing.ts";
import type { TextEditing } from "./use_text_editing.ts";

/** What an image was added to, and the result. */
interface Added {
  before: string;
  after: string;
}

/** Asks where a new image goes, and offers to take it back. */
export function PlaceImage({ editing, draft }: { editing: TextEditing; draft: Draft }) {
  const { placing, chosen, place } = editing;
  const [added, setAdded] = useState<Added | null>(null);
  const { source, change } = draft;
  const before = source.html;
  // Whatever changes afterwards, the strip does not come back, and takes no focus.
  if (added !== null && added.after !== before) setAdded(null);
  if (placing === null) {
    if (added?.after !== before) return null;
    return (
      <Strip label="The new image" key="added">
        <Text size="sm" role="status">The image was added.</Text>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => change({ html: added.before })}
        >
          Undo
        </Button>
      </Strip>
    );
  }
  const resultAt = (where: ImagePlace) =>
    addImage(before, where, (options) => imageTag(placing, options));
  const words = chosen === null
    ? ""
    : wordsOf(sourceOfText(source, chosen.target) ?? "", chosen.target, chosen.shown);
  const beside = chosen === null ? [] : (["above", "below"] as const).flatMap((side) => {
    const after = resultAt({ side, text: chosen.target.number });
    return after === null ? [] : [{ side, after }];
  });
  const top = resultAt({ side: "top" });
  const put = (after: string) => {
    setAdded({ before, after });
    place(null);
    change({ html: after });
  };
  return (
    <Strip label="Place of the image" key="placing">
      <Text size="sm" role="status" style={{ overflowWrap: "anywhere" }}>
        {chosen === null
          ? "Click a text: the image goes above or below it."
          : beside.length === 0
          ? `No image can be beside “${shortened(words)}”: click another text.`
          : `Put it beside “${shortened(words)}”, or click another text.`}
      </Text>
      <Group gap={6}>
        {beside.map(({ side, after }) => (
          <Button
            key={side}
            size="compact-xs"
            onClick={() => put(after)}
          >
            {side === "above" ? "Above" : "Below"}
          </Button>
        ))}
        {top !== null && (
          <Button
            size="compact-xs"
            variant={beside.length === 0 ? "filled" : "default"}
            onClick={() => put(top)}
          >
            At the very top
          </Button>
        )}
        <Button size="compact-xs" variant="default" onClick={() => place(null)}>Cancel</Button>
      </Group>
    </Strip>
  );
}

function shortened(words: string): string {
  return words.length > 30 ? `${words.slice(0, 30)}…` : words;
}

/** A strip above the preview that takes the focus when it appears. */
function Strip({ label, children }: { label: string; children: React.ReactNode }) {
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => strip.current?.focus(), []);
  return (
    <Box
      ref={strip}
      tabIndex={-1}
      role="group"
      aria-label={label}
      px="sm"
      py={6}
      bg="var(--mantine-color-cyan-light)"
      style={{ outline: "none" }}
    >
      <Group gap="xs" justify="space-between">{children}</Group>
    </Box>
  );
}
