import { Button } from "@mantine/core";
import { TbPhotoPlus } from "react-icons/tb";
import { PickImage } from "./pick_image.tsx";
import { NEW_IMAGE } from "./text_editing.ts";
import type { TextEditing } from "./use_text_editing.ts";

/** Begins to add an image to the preview. Nothing for people who may not. */
export function AddImageButton({ editing }: { editing: TextEditing }) {
  if (!editing.isOn || !editing.mayChangeImages) return null;
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      leftSection={<TbPhotoPlus size={14} />}
      title="Add an image"
      aria-label="Add an image"
      onClick={({ currentTarget }) => {
        const { left, top, width, height } = currentTarget.getBoundingClientRect();
        editing.place(null);
        editing.open({ target: NEW_IMAGE, box: { left, top, width, height }, shown: [] });
      }}
    >
      Image
    </Button>
  );
}

/** Asks which image is to be added, and how it looks. Its place is asked for afterwards. */
export function AddImage({ editing, onClose }: { editing: TextEditing; onClose: () => void }) {
  return (
    <PickImage
      title="Add an image"
      submit="Choose its place"
      onPicked={(image) => {
        editing.place(image);
        onClose();
      }}
      onClose={onClose}
    />
  );
}
