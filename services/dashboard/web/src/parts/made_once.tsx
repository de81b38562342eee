import { Modal } from "@mantine/core";
import { type ReactNode, useState } from "react";

/** How something is made that has a secret. */
export interface MadeOnceProps<Made> {
  isOpen: boolean;
  close: () => void;
  /** Title while it is not made. */
  title: string;
  /** Title while its secret is shown. */
  madeTitle: string;
  form: (cancel: () => void, onMade: (made: Made) => void) => ReactNode;
  shown: (made: Made, done: () => void) => ReactNode;
}

/** A dialog with a form, and then with the secret of what it made: that is shown only once. */
export function MadeOnce<Made>(
  { isOpen, close, title, madeTitle, form, shown }: MadeOnceProps<Made>,
) {
  const [made, setMade] = useState<Made | null>(null);
  const leave = () => {
    close();
    setMade(null);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title={made === null ? title : madeTitle}
      size="lg"
      closeButtonProps={{ "aria-label": "Close" }}
      // Once closed, the secret can never be shown again.
      closeOnClickOutside={made === null}
      closeOnEscape={made === null}
    >
      {made === null ? form(leave, (made) => setMade(() => made)) : shown(made, leave)}
    </Modal>
  );
}
