import { notifications } from "@mantine/notifications";

/** Shows that an action succeeded. */
export function showDone(message: string): void {
  notifications.show({ message, color: "teal", withBorder: true });
}

/** Shows what to know of an action that succeeded; the notification stays until it is closed. */
export function showWarning(message: string): void {
  notifications.show({ message, color: "orange", withBorder: true, autoClose: false });
}

/** Shows why an action failed; the notification stays until it is closed. */
export function showError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  notifications.show({ message, color: "red", withBorder: true, autoClose: false });
}
