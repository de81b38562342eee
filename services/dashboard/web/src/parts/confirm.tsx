import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { showDone, showError } from "./show_outcome.ts";

/** What is asked before something is done that cannot be taken back. */
export interface Confirmation {
  /** A question: `Revoke the token Shop?` */
  title: string;
  /** What will happen. */
  text: string;
  /** What the button says: a verb. */
  label: string;
  /** Told when it was done. */
  done: string;
  act: () => Promise<unknown>;
}

/** Asks whether something shall be done, does it, and tells what became of it. */
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
