const KEY = "posthaste.reloaded";

/** A file that is still not there after so long, in milliseconds, would not be there the next time. */
const PATIENCE_MS = 30_000;

/**
 * Reloads a page that was opened before a deployment when it requests a file that no longer exists. Reloads
 * once only: a file that stays missing would reload the page for ever.
 */
export function reloadWhenStale(): void {
  addEventListener("vite:preloadError", async () => {
    const last = Number(sessionStorage.getItem(KEY));
    if (Date.now() - last < PATIENCE_MS) return;
    // Where the whole server is away, what is shown is more than the browser would show instead.
    const answer = await fetch("/", { cache: "no-store" }).catch(() => null);
    if (answer?.ok !== true) return;
    sessionStorage.setItem(KEY, `${Date.now()}`);
    location.reload();
  });
}
