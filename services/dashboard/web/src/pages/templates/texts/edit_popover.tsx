import { Popover } from "@mantine/core";
import type { Draft } from "../use_draft.ts";
import type { Preview } from "../use_preview.ts";
import { AddImage } from "./add_image.tsx";
import { EditImage } from "./edit_image.tsx";
import { EditText } from "./edit_text.tsx";
import { PartialNote } from "./partial_note.tsx";
import type { TextEditing } from "./use_text_editing.ts";

/**
 * What is edited in the preview, in a panel above it where there is room: what follows a text stays visible. A
 * panel for what is above the preview is below its button.
 */
export function EditPopover({ editing, draft, preview }: {
  editing: TextEditing;
  draft: Draft;
  preview: Preview;
}) {
  const { current, open } = editing;
  if (current === null) return null;
  const { target } = current;
  const close = () => open(null);
  const isInPreview = target.type !== "new" && target.type !== "subject";
  return (
    <Popover
      key={`${target.type} ${target.number}`}
      opened
      position={isInPreview ? "top-start" : "bottom-start"}
      preventPositionChangeWhenVisible={false}
      width={Math.round(Math.min(Math.max(current.box.width + 24, 340), innerWidth - 24, 620))}
      shadow="md"
      withinPortal
      trapFocus
      returnFocus
      closeOnEscape={false}
      middlewares={{
        flip: isInPreview && { padding: 12, crossAxis: false, fallbackPlacements: [...ELSEWHERE] },
        shift: { padding: 12 },
      }}
    >
      <Popover.Target>
        <span aria-hidden style={{ ...current.box, position: "fixed", pointerEvents: "none" }} />
      </Popover.Target>
      <Popover.Dropdown p="xs" aria-label={LABELS[target.type]}>
        {target.type === "new"
          ? <AddImage editing={editing} onClose={close} />
          : target.type === "image"
          ? <EditImage target={target} draft={draft} onClose={close} />
          : target.type === "partial"
          ? <PartialNote name={editing.marked?.partials[target.number] ?? ""} onClose={close} />
          : <EditText edit={current} {...{ draft, preview }} onClose={close} />}
      </Popover.Dropdown>
    </Popover>
  );
}

/** Where a panel is if there is no room above. */
const ELSEWHERE = ["left-start", "right-start", "bottom-start"] as const;

const LABELS = {
  text: "Edit this text",
  plain: "Edit this text",
  partial: "The partial of this text",
  image: "Replace this image",
  new: "Add an image",
  subject: "Edit the subject",
} as const;
