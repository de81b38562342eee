import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { TemplateView } from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { KINDS } from "./template_kind.ts";
import type { Draft } from "./use_draft.ts";

/** Returns a function that asks whether to discard the draft's changes, and does so. */
export function useDiscard(view: TemplateView, draft: Draft): () => void {
  const discard = async () => {
    try {
      const path = `${KINDS[view.kind].api}/${view.id}/discard`;
      const body = { revision: view.revision };
      draft.adopt(await request<TemplateView>(path, { method: "POST", body }));
      showDone("The draft matches the published version");
    } catch (error) {
      showError(error);
    }
  };
  return () =>
    modals.openConfirmModal({
      title: "Discard all changes?",
      children: (
        <Text size="sm">
          The draft is reset to published version {view.publishedVersion}. Later changes are lost.
        </Text>
      ),
      labels: { confirm: "Discard changes", cancel: "Keep them" },
      confirmProps: { color: "red" },
      onConfirm: () => void discard(),
    });
}
