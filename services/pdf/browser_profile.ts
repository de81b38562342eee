import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

/** What a browser keeps while it runs, where it is another user's than the service. */
export interface BrowserProfile {
  /** For `_browser.sh`; nothing where the browser runs as the service's user. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

/**
 * Makes a folder in `home` for a browser that another user runs; Playwright's own is closed to that
 * user. Without one there is none.
 */
export async function openProfile(
  { home, user }: { home: string; user?: number | undefined },
): Promise<BrowserProfile> {
  if (user === undefined) return { env: {}, remove: async () => {} };
  const folder = await mkdtemp(join(home, "profile-"));
  return {
    env: { BROWSER_USER: String(user), BROWSER_PROFILE: folder, HOME: folder },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
