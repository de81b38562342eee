import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { showDone, showError } from "./show_outcome.ts";

/** The question before an irreversible action. */
export interface Confirmation {
  /** A question: `Revoke the token Shop?` */
  title: string;
  /** What will happen. */
  text: string;
  /** Label of the button: a verb. */
  label: string;
  /** Shown after the action. */
  done: string;
  act: () => Promise<unknown>;
}

/** Asks for confirmation, runs the action, and reports its outcome. */
export function confirmAction({ title, text, label, done, act }: Confirmation): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm: label, cancel: "Cancel" },
    confirmProps: { color: "red" },
    closeButtonProps: { "aria-label": "Close" },
    onConfirm: () => void act().then(() => showDone(done), showError),
  });
}
