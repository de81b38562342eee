import type { ScreenBox } from "./use_text_editing.ts";

/** Returns the smallest box around some boxes. */
export function boxAround(boxes: readonly ScreenBox[]): ScreenBox {
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  return { left, top, width: right - left, height: bottom - top };
}
