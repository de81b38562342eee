import type { EditTarget } from "./text_editing.ts";
import type { ScreenBox, TextEditing } from "./use_text_editing.ts";
import "./text_spot.css";

/**
 * A text or an image of a preview that a click opens for editing, or chooses while a place for an image is asked
 * for. The box is within the preview.
 */
export function TextSpot({ target, label, box, around = box, unit = "px", editing, onOpen }: {
  target: EditTarget;
  /** What is there. */
  label: string;
  box: ScreenBox;
  /** Around all of a text that has several boxes. @default {box} */
  around?: ScreenBox;
  /** Of the boxes. */
  unit?: "px" | "%";
  editing: Pick<TextEditing, "placing" | "chosen">;
  onOpen: (target: EditTarget, box: ScreenBox) => void;
}) {
  const { left, top, width, height } = box;
  const isPlace = editing.placing !== null;
  const what = isPlace
    ? "Choose the text"
    : target.type === "image"
    ? "Replace the image"
    : target.type === "partial"
    ? "Show the partial of the text"
    : "Edit the text";
  const said = label.length > 60 ? `${label.slice(0, 60)}…` : label;
  return (
    <button
      type="button"
      className={isPlace ? "text-spot text-place" : "text-spot"}
      {...(isPlace ? { "aria-pressed": editing.chosen?.target.number === target.number } : {})}
      aria-label={said === "" ? what : `${what}: ${said}`}
      style={{
        left: `${left}${unit}`,
        top: `${top}${unit}`,
        width: `${width}${unit}`,
        height: `${height}${unit}`,
      }}
      onClick={({ currentTarget }) => {
        const page = currentTarget.offsetParent?.getBoundingClientRect();
        if (page !== undefined) onOpen(target, onScreen(around, { unit, page }));
      }}
    />
  );
}

function onScreen(
  { left, top, width, height }: ScreenBox,
  { unit, page }: { unit: "px" | "%"; page: DOMRect },
): ScreenBox {
  const [x, y] = unit === "%" ? [page.width / 100, page.height / 100] : [1, 1];
  return {
    left: page.left + left * x,
    top: page.top + top * y,
    width: width * x,
    height: height * y,
  };
}
