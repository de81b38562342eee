const KEY = "posthaste.reloaded";

/** A file that is still missing after this time, in milliseconds, would be missing again. */
const PATIENCE_MS = 30_000;

/**
 * Reloads a page that was opened before a deployment when it requests a file that no longer exists. Reloads
 * once only: a file that stays missing would reload the page for ever.
 */
export function reloadWhenStale(): void {
  addEventListener("vite:preloadError", async () => {
    const last = Number(sessionStorage.getItem(KEY));
    if (Date.now() - last < PATIENCE_MS) return;
    // If the server is away, the current page is more useful than the browser's error page.
    const answer = await fetch("/", { cache: "no-store" }).catch(() => null);
    if (answer?.ok !== true) return;
    sessionStorage.setItem(KEY, `${Date.now()}`);
    location.reload();
  });
}
