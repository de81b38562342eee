/**
 * The state of a first dispatch of a send's messages. The cursor on the send moves only if it is as it was
 * read, and only then are the messages published.
 */
export type Dispatching = "move_cursor" | "publish" | "end";

/** Begins the first dispatch. */
export function beginDispatch(): Dispatching {
  return "move_cursor";
}

/** Returns the next step, depending on whether the cursor was still as it was read. */
export function cursorMoved(held: boolean): Dispatching {
  return held ? "publish" : "end";
}
