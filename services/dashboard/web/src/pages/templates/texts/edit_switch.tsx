import { Switch } from "@mantine/core";
import type { TextEditing } from "./use_text_editing.ts";

/** Switches the editing of texts in the preview. */
export function EditSwitch({ editing }: { editing: TextEditing }) {
  return (
    <Switch
      size="xs"
      label="Edit texts"
      checked={editing.isOn}
      onChange={({ currentTarget }) => editing.switchOn(currentTarget.checked)}
    />
  );
}
