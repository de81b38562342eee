import type { DomNode } from "html-to-text";
import { isHiddenElement, type TextSize, textSizeOf } from "./_hidden_style.ts";

/** Returns the blocks that a text of the tree opens (1) and closes (-1), in order: `{{#if}}`, `{{/if}}`. */
export type StepsOf = (text: string) => readonly { step: -1 | 0 | 1; word: string }[];

/**
 * Removes the parts of a tree that readers do not see: preheaders, and texts without a size. The ends of
 * blocks stay if only one of them is inside, so that the rest can still be filled.
 */
export function leaveOutHidden(root: DomNode, stepsOf: StepsOf): void {
  root.children = shownOf(root.children ?? [], { size: "some", stepsOf });
}

interface Place {
  /** The size that the texts inherit. */
  size: TextSize;
  stepsOf: StepsOf;
}

function shownOf(nodes: readonly DomNode[], place: Place): DomNode[] {
  return nodes.flatMap((node) => {
    if (node.type === "text") {
      return place.size === "none" ? endsIn(node, place.stepsOf) : [node];
    }
    if (node.type !== "tag") return [node];
    if (isHiddenElement(node.attribs ?? {})) return endsIn(node, place.stepsOf);
    const size = node.name === "table" ? "some" : place.size;
    const own = textSizeOf(node.attribs?.["style"] ?? "") ?? size;
    node.children = shownOf(node.children ?? [], { ...place, size: own });
    // A link without its text would show only its address.
    const isLeft = own === "some" || node.name !== "a" || node.children.some(isShown);
    return isLeft ? [node] : node.children;
  });
}

function isShown(node: DomNode): boolean {
  return node.type === "text" ? (node.data ?? "").trim() !== "" : node.name === "img" ||
    (node.children ?? []).some(isShown);
}

/** Returns the words of blocks that do not both begin and end in a node. */
function endsIn(node: DomNode, stepsOf: StepsOf): DomNode[] {
  const steps = stepsOf(sourceOf(node));
  let depth = 0;
  let least = 0;
  for (const { step } of steps) least = Math.min(least, depth += step);
  if (depth === 0 && least === 0) return [];
  return [{ type: "text", data: steps.map(({ word }) => word).join("") }];
}

function sourceOf(node: DomNode): string {
  const own = [node.data ?? "", ...Object.entries(node.attribs ?? {}).flat()];
  return [...own, ...(node.children ?? []).map(sourceOf)].join(" ");
}
