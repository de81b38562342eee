import { Popover } from "@mantine/core";
import type { Draft } from "../use_draft.ts";
import type { Preview } from "../use_preview.ts";
import { AddImage } from "./add_image.tsx";
import { EditImage } from "./edit_image.tsx";
import { EditText } from "./edit_text.tsx";
import { PartialNote } from "./partial_note.tsx";
import type { TextEditing } from "./use_text_editing.ts";

/** What is edited in the preview, in a panel beside it. */
export function EditPopover({ editing, draft, preview }: {
  editing: TextEditing;
  draft: Draft;
  preview: Preview;
}) {
  const { current, open } = editing;
  if (current === null) return null;
  const { target } = current;
  const close = () => open(null);
  return (
    <Popover
      key={`${target.type} ${target.number}`}
      opened
      position="bottom-start"
      width={Math.round(Math.min(Math.max(current.box.width + 24, 340), innerWidth - 24, 620))}
      shadow="md"
      withinPortal
      trapFocus
      returnFocus
      closeOnEscape={false}
      middlewares={{ flip: true, shift: { padding: 12 } }}
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

const LABELS = {
  text: "Edit this text",
  plain: "Edit this text",
  partial: "The partial of this text",
  image: "Replace this image",
  new: "Add an image",
  subject: "Edit the subject",
} as const;
