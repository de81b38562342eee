import { Button } from "@mantine/core";
import { showDone } from "../parts/show_outcome.ts";

/** The button that saves a draft with changes. */
export function SaveDraft({ draft, isValid = true }: {
  draft: { isUnsaved: boolean; isSaving: boolean; save(): Promise<object | null> };
  /** Whether the draft can be saved. */
  isValid?: boolean;
}) {
  return (
    <Button
      size="xs"
      variant="default"
      loading={draft.isSaving}
      disabled={!draft.isUnsaved || !isValid}
      onClick={async () => {
        if (await draft.save()) showDone("Draft saved");
      }}
    >
      Save draft
    </Button>
  );
}
