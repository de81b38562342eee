/**
 * Where somebody stands who dispatches messages of a send for the first time: the cursor on the send is
 * moved under the condition that it is as it was read, and only then are they published.
 */
export type Dispatching = "move_cursor" | "publish" | "end";

/** Begins the first dispatch. */
export function beginDispatch(): Dispatching {
  return "move_cursor";
}

/** Returns what comes after the cursor was moved, or was not as it was read. */
export function cursorMoved(held: boolean): Dispatching {
  return held ? "publish" : "end";
}
