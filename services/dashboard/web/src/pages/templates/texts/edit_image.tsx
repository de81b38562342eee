import type { AssetView } from "../../../../../interface/assets.ts";
import { imageRanges, shownImage } from "../../../../../texts/image_ranges.ts";
import { lookOfImage, replaceImage } from "../../../../../texts/replace_image.ts";
import { shownWidth } from "../../files/image_tag.ts";
import type { Draft } from "../use_draft.ts";
import { PickImage } from "./pick_image.tsx";
import type { EditTarget } from "./text_editing.ts";

/** Replaces an image of the preview by a stored or a new one. It asks for its description and width. */
export function EditImage({ target, draft, onClose }: {
  target: EditTarget;
  draft: Draft;
  onClose: () => void;
}) {
  const { html } = draft.source;
  const range = imageRanges(html)[target.number];
  const current = range && shownImage(html, range);
  const before = lookOfImage(html, target.number);
  const replace = (
    { name, alt, width }: AssetView,
    { width: full, height }: Pick<AssetView, "width" | "height">,
  ) => {
    const ratio = full && height ? full / height : null;
    const isTheirs = before.alt === null && alt === "";
    const changed = { name, alt: isTheirs ? null : alt, width, ratio };
    draft.change({ html: replaceImage(html, target.number, changed) });
    onClose();
  };
  return (
    <PickImage
      title="Replace this image"
      submit="Replace"
      current={current}
      suggest={(image) => ({
        alt: suggestedAlt(image, { ...before, shown: current }),
        width: before.width ?? shownWidth(image),
      })}
      onPicked={replace}
      onClose={onClose}
    />
  );
}

/** An image without a description of its own is likely the old one in another look. */
function suggestedAlt(
  { name, alt }: Pick<AssetView, "name" | "alt">,
  { alt: before, shown }: { alt: string | null; shown: string | undefined },
): string {
  return name === shown || alt === "" ? before ?? alt : alt;
}
