const KEY = "posthaste.reloaded";

/** A file that is still not there after so long, in milliseconds, would not be there the next time. */
const PATIENCE_MS = 30_000;

/**
 * Has a page that was opened before a deployment load itself anew when it asks for a file that is gone
 * since; once, or anyone who looks would see nothing else.
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
