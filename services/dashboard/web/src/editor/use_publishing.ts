import { useState } from "react";
import { HttpError } from "../api.ts";
import { showError } from "../parts/show_outcome.ts";

/** The state of a dialog that publishes. */
export interface Publishing {
  working: boolean;
  /** Why nothing was published. */
  refused: HttpError | null;
  /** Runs `act`, and keeps its error if the template has faults. */
  run(act: () => Promise<void>): Promise<void>;
  /** Closes the dialog, and forgets why nothing was published. */
  close(): void;
}

/** Returns the state of a dialog that publishes. */
export function usePublishing(onClose: () => void): Publishing {
  const [refused, setRefused] = useState<HttpError | null>(null);
  const [working, setWorking] = useState(false);
  return {
    ...{ working, refused },
    async run(act) {
      setRefused(null);
      setWorking(true);
      try {
        await act();
      } catch (error) {
        if (error instanceof HttpError && error.code === "template_failed") setRefused(error);
        else showError(error);
      } finally {
        setWorking(false);
      }
    },
    close() {
      setRefused(null);
      onClose();
    },
  };
}
