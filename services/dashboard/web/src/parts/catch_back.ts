/** Asks whether a page is left; `leave` goes where the person wanted to go. */
export type AskToLeave = (leave: () => void) => void;

let guard: { here: string; ask: AskToLeave } | null = null;

/**
 * Lets {@linkcode guardBack} hold up going back and forward. It is to be called before the router is
 * made: a window tells its listeners in the order in which they came, and the router must hear nothing.
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

/** Has `ask` be called instead of going back or forward from this page, until the result is called. */
export function guardBack(ask: AskToLeave): () => void {
  const own = { here: location.href, ask };
  guard = own;
  return () => {
    if (guard === own) guard = null;
  };
}
