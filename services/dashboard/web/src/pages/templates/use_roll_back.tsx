import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { TemplateView } from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { KINDS } from "./template_kind.ts";
import type { Draft } from "./use_draft.ts";

/** Returns a function that asks whether to roll back to an older version, and does so. */
export function useRollBack(
  view: TemplateView,
  { draft, onDone }: { draft: Draft; onDone: () => void },
): (version: number) => void {
  const rollBack = async (version: number) => {
    try {
      const path = `${KINDS[view.kind].api}/${view.id}/roll-back`;
      draft.adopt(await request<TemplateView>(path, { method: "POST", body: { version } }));
      onDone();
      showDone(`Version ${version} is live again`);
    } catch (error) {
      showError(error);
    }
  };
  return (version) =>
    modals.openConfirmModal({
      title: `Roll back to version ${version}?`,
      children: (
        <Text size="sm">
          It becomes live immediately, as a new version. {draft.isUnsaved
            ? "Unsaved changes on this page are lost."
            : view.hasChanges
            ? "The draft keeps its unpublished changes."
            : "The draft is reset to it too."}
        </Text>
      ),
      labels: { confirm: "Roll back", cancel: "Cancel" },
      onConfirm: () => void rollBack(version),
    });
}
