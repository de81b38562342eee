/** Asks whether to leave a page; `leave` continues to the destination. */
export type AskToLeave = (leave: () => void) => void;

let guard: { here: string; ask: AskToLeave } | null = null;

/**
 * Enables {@linkcode guardBack} to hold up going back and forward. Call it before the router is created: a
 * window calls its listeners in the order of their registration, and the router must not be called.
 */
export function catchBack(): void {
  addEventListener("popstate", (event) => {
    if (guard === null || location.href === guard.here) return;
    event.stopImmediatePropagation();
    const { here, ask } = guard;
    const target = location.pathname + location.search;
    history.pushState(null, "", here);
    ask(() => history.pushState(null, "", target));
  });
}

/** Calls `ask` instead of going back or forward from this page, until the returned function is called. */
export function guardBack(ask: AskToLeave): () => void {
  const own = { here: location.href, ask };
  guard = own;
  return () => {
    if (guard === own) guard = null;
  };
}
